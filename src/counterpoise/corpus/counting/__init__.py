"""Gender in a corpus, by counts: who is mentioned, and which words occur near men and near women."""
