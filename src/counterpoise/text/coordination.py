"""Verbs that share the subject of an earlier verb: she sings, often dances and is happy.

After the first verb the rest of the sentence is read from left to right. A verb in -s after and, or, but, then or a
comma shares the subject, unless another clause with a subject of its own has begun: in "she knows that it works and
is cheap" either reading is possible, and `Unsure` is raised.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from counterpoise.text.clause_starts import ENDS, is_parenthetical, leads, starts_clause
from counterpoise.text.edits import Edit
from counterpoise.text.relative_clauses import antecedent, main_verb
from counterpoise.text.sentences import is_abbreviated
from counterpoise.text.tokens import TextToken, word_at
from counterpoise.text.unsure import Unsure
from counterpoise.text.verb_forms import adverbs_at, auxiliaries, is_adverb, plural_edit, plural_form, words
from counterpoise.text.verb_or_noun import COORDINATORS, is_verb, list_goes_on

_SAME = frozenset(["he", "she"])


class _Clause(Enum):
    """Whose clause the last verb belongs to."""

    OWN = "the subject's, or one in which no verb in -s can be joined (you lie)"
    ATTACHED = "a relative clause, or one joined by and: what follows belongs to it"
    OPEN = "one that what follows may belong to, or not"


class _Reader:
    """Reads on from a verb; `edits` are of the verbs that share its subject."""

    def __init__(self, sentence: Sequence[TextToken], subject: int, start: int) -> None:
        self.sentence = sentence
        self.subject = subject
        self.start = start
        self.relative = antecedent(sentence, subject)
        self.clause = _Clause.OWN
        self.opener = ""  # the last word that began a clause within: that, who, when, and
        self.verb = start - 1  # the last verb
        self.list_of_verbs = False  # one has been joined by a comma alone, so that an "and" must follow
        self.edits: list[Edit] = []

    def read(self) -> list[Edit]:
        place = self.start
        while place < len(self.sentence):
            token = self.sentence[place]
            if token.word == ";" and self._goes_on(place):
                place = self._add(place + 1)
                continue
            if self._ends(place) or token.word.split("'")[0] in _SAME:
                break  # another he or she reads on from there
            if token.word in ('"', "“", "(", "["):
                closing = self._closing(place)
                if closing is None:
                    break
                place = closing + 1
                continue
            if token.word in COORDINATORS or token.word == ",":
                place = self._join(place)
                continue
            self._follow(place)
            place += 1
        return self.edits

    def _ends(self, place: int) -> bool:
        token = self.sentence[place]
        if token.word == ".":
            before = self.sentence[place - 1].text if place else ""
            return not is_abbreviated(before + ".")
        closes = token.word == '"' and place and self.sentence[place - 1].end == token.start
        return bool(closes) or token.word in ENDS or token.word.startswith(("..", "<br"))

    def _closing(self, place: int) -> int | None:
        mark = {"“": "”", "(": ")", "[": "]"}.get(self.sentence[place].word, '"')
        rest = range(place + 1, len(self.sentence))
        return next((i for i in rest if self.sentence[i].word == mark), None)

    def _word(self, place: int) -> str:
        return word_at(self.sentence, place)

    def _follow(self, place: int) -> None:
        """A word that is not joined: does it begin a clause, or is it the verb of one?"""
        word = self._word(place)
        if word in words("relatives") or word in words("subordinators"):
            self.opener = word
        elif self.relative and self._is_main_verb(place):
            self.clause = _Clause.OPEN
            self.verb = place
        elif word in words("other_finite") and self._word(place - 1) not in words("other_finite") | {"to"}:
            self._begin_clause(place, plural=self._after_plural(place))
        elif (word in auxiliaries() and not self._is_own_verb(place)) or self._is_verb_of_another(place):
            self._begin_clause(place, plural=False)

    def _is_main_verb(self, place: int) -> bool:
        """The cat she feeds sleeps: whether the antecedent's verb may stand here; where it surely does, this ends."""
        if self.relative is None or self._is_own_verb(place):
            return False
        answer = main_verb(self.sentence, place, self.verb, self.relative)
        if answer == "yes" and self.relative.begins:
            raise _Outside
        return answer != "no"

    def _after_plural(self, place: int) -> bool:
        return self._word(place) in words("plural_finite") or self._word(place - 1) in words(
            "plural_pronouns"
        )

    def _is_own_verb(self, place: int) -> bool:
        return any(edit.start == self.sentence[place].start for edit in self.edits)

    def _is_verb_of_another(self, place: int) -> bool:
        """A verb in -s after its own subject: the shop closes, it works."""
        plural = plural_form(self._word(place))
        if plural is None or self._word(place) in words("nouns"):
            return False
        before = self._word(place - 1)
        if before in ("it", "who", "which", "that", "everyone", "everybody", "someone", "somebody", "nobody"):
            return True
        if before in words("determiners") or before in words("prepositions") or not before[:1].isalpha():
            return False
        following = self._word(place + 1)
        has_object = following in words("determiners") or following in words("object_pronouns")
        acts = plural in words("verbs") or (plural in words("verbs_and_nouns") and has_object)
        return acts and place - 1 > self.verb

    def _begin_clause(self, place: int, plural: bool) -> None:
        if plural:
            self.clause = _Clause.OWN
        elif place == self.start or self.opener in ("and", "who", "which", "whom", "whose"):
            self.clause = _Clause.ATTACHED
        else:
            after_that = self.opener == "that" and self._word(place - 1) == "that"
            self.clause = _Clause.ATTACHED if after_that else _Clause.OPEN
        self.verb = place

    def _join(self, place: int) -> int:
        """Reads a coordinator, or a comma, and the verb that it joins, if it does; returns where to read on."""
        comma = self._word(place) == ","
        at = place + 1
        if comma and self._word(at) in COORDINATORS:
            at += 1
        alone = comma and at == place + 1
        at = self._beyond_adverbs(at)
        is_joined = self._joins_auxiliary(place, at, alone) or self._joins_verb(place, at, alone)
        if not is_joined:
            if self._word(at) in words("other_finite"):  # and can't help it
                self.verb = at
                return at + 1
            if self._word(at - 1) in COORDINATORS:
                self.opener = "and"
            return at
        if self._is_within() or (
            alone and self._word(at) in auxiliaries() and not starts_clause(self.sentence, self.subject)
        ):
            raise Unsure("joined to this verb, or to that of the clause around it")
        if alone and is_parenthetical(self.sentence, self.subject):
            if self._word(at) in auxiliaries():
                raise _Outside
            raise Unsure("a list of verbs, or the verb of another subject")
        if self.clause is _Clause.OPEN and not (self.verb == place - 1 and self.opener not in ("that", "")):
            raise Unsure("joined to this verb, or to that of a clause within")
        if self.clause is _Clause.OWN:
            self.edits.append(plural_edit(self.sentence[at]))
        self.verb = at
        self.list_of_verbs = alone
        return at + 1

    def _beyond_adverbs(self, place: int) -> int:
        while skipped := adverbs_at(self.sentence, place):
            place += skipped
        return place

    def _goes_on(self, place: int) -> bool:
        """Whether a verb follows a semicolon: she walks; sits; sleeps."""
        at = self._beyond_adverbs(place + 1)
        if self._word(at - 1) in ("here", "there"):
            return False  # there is no doubt
        if self._word(at) in auxiliaries():
            goes_on = not self._asks(at)
        else:
            goes_on = is_verb(self.sentence, place, at, last_verb=self.verb, in_list=False)
        if goes_on and (self.clause is not _Clause.OWN or self.opener or self.relative):
            raise Unsure("after a semicolon, the verb of this subject or of another")
        return goes_on

    def _add(self, place: int) -> int:
        """Puts the verb at a place, or after the adverbs there, in the plural; returns where to read on."""
        self.verb = self._beyond_adverbs(place)
        self.edits.append(plural_edit(self.sentence[self.verb]))
        return self.verb + 1

    def _ends_list(self, place: int, at: int) -> bool:
        """Whether the verb after a comma is the last of a list without and: she comes, sees, conquers."""
        plural = plural_form(self._word(at))
        if plural is None or self.sentence[at].text.istitle() or self._word(at) in words("nouns"):
            return False
        if self.list_of_verbs:
            return True
        if self._word(at - 1) in ("here", "there") or self.clause is _Clause.ATTACHED:
            return False
        if not leads(self.sentence, self.subject) or is_parenthetical(self.sentence, self.subject):
            return False
        adjacent = place - 1 == self.verb
        is_lexical = plural in words("verbs") or (adjacent and plural in words("verbs_and_nouns"))
        if is_lexical and not self.opener and self.clause is _Clause.OWN:
            return True
        # He said that Mr Dar, 33, was arrested: a comma between speaks for another subject.
        has_comma = any(token.word == "," for token in self.sentence[self.verb : place])
        is_auxiliary = self._word(at) in auxiliaries() and not self.opener and not has_comma
        if is_lexical or is_auxiliary or self._takes_more(at):
            raise Unsure("after a comma, the verb of this subject or of another")
        return False

    def _asks(self, at: int) -> bool:
        """Whether an auxiliary stands before its subject: is it, isn't that good?"""
        is_subject = self._word(at + 1) in words("subject_pronouns") | {"this", "that", "there"}
        return is_subject or self.sentence[-1].word == "?"

    def _takes_more(self, at: int) -> bool:
        """Whether what could be a noun has what verbs have after it: she sits down, starts to cry."""
        following = self._word(at + 1)
        is_known = plural_form(self._word(at)) in words("verbs_and_nouns")
        has_object = following in words("determiners") or following in words("object_pronouns")
        return is_known and (has_object or following in words("particles") | {"to"})

    def _joins_auxiliary(self, place: int, at: int, alone: bool) -> bool:
        if self._word(at) not in auxiliaries():
            return False
        following = self._word(at + 1)
        if alone and not list_goes_on(self.sentence, at):
            return not self._asks(at) and self._ends_list(place, at)
        if following in ("it", "you", "this", "that", "there"):  # does it, isn't it?
            return not alone and self.sentence[-1].word != "?"
        return following not in words("subject_pronouns")

    def _joins_verb(self, place: int, at: int, alone: bool) -> bool:
        if self._word(at) in auxiliaries():
            return False
        if alone and not list_goes_on(self.sentence, at) and not self._ends_list(place, at):
            return False
        has_gap = self.relative is not None and self.relative.gap and place - 1 == self.verb
        if has_gap and self._word(at + 1) in auxiliaries():  # the man she loves and fears is
            return plural_form(self._word(at)) in words("verbs") | words("verbs_and_nouns")
        return is_verb(self.sentence, place, at, last_verb=self.verb, in_list=self.list_of_verbs)

    def _is_within(self) -> bool:
        """Whether a verb of another subject stands in the clause around: Ann does what he likes and laughs."""
        place = self.subject - 1
        if starts_clause(self.sentence, self.subject):
            return False
        verb = self._word(self.start - 1)
        if verb in words("modals") or verb.endswith(("'ll", "'d")):
            return True
        while place >= 0 and self._word(place)[:1].isalpha() and self._word(place) not in COORDINATORS:
            plural = plural_form(self._word(place))
            if plural and self._subject_before(place) not in _SAME:
                before = self._word(place - 1)
                is_noun = before in words("determiners") or before in words("prepositions")
                if plural in words("verbs") or (plural in words("verbs_and_nouns") and not is_noun):
                    return True
                if plural in ("are", "have", "do"):
                    return True
            place -= 1
        return False

    def _subject_before(self, place: int) -> str:
        """The word before a verb and its adverbs."""
        place -= 1
        while is_adverb(self._word(place)):
            place -= 1
        return self._word(place)


class _Outside(Exception):
    """The clause of the subject has ended; what follows belongs to the one around it."""


def joined_verbs(sentence: Sequence[TextToken], subject: int, start: int) -> list[Edit]:
    """The edits of the verbs from `start` on that share the subject.

    >>> from counterpoise.text.tokens import tokens
    >>> text = "She plays chess, loves cats and dogs, and is never bored."
    >>> [edit.new for edit in joined_verbs(tokens(text, 0, len(text)), 0, 2)]
    ['love', 'are']
    """
    reader = _Reader(sentence, subject, start)
    try:
        return reader.read()
    except _Outside:
        return reader.edits
