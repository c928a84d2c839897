import pandas as pd

from counterpoise.text.swap import Swapper


def test_bec_pro_german(data_file):
    """Each male sentence becomes the female one of the same place in the data set."""
    table = pd.read_csv(data_file("bec-pro/BEC-Pro_DE.tsv.xz"), sep="\t", index_col=0)
    slips = {"repairer", "receptionist"}  # the female sentences keep the male word
    table = table[~table["Profession_EN"].isin(slips)]
    table["Template"] = table["Template"].str.replace(", der <", ", die <")
    keys = ["Prof_Gender", "Template", "Profession_EN", "Person_number"]
    persons = ["Er", "Mann", "Bruder", "Sohn", "Ehemann", "Freund", "Vater", "Onkel", "Papa"]
    male = table[table["Gender"] == "male"].copy()
    female = table[table["Gender"] == "female"].copy()
    male["Person_number"] = male["Person"].map({p: i for i, p in enumerate(persons)})
    sentence = female["Sentence"].str.split().str[0]
    women = ["Sie", "Diese Frau", "Schwester", "Tochter", "Meine Frau", "Freundin", "Mutter", "Tante", "Mama"]
    named = female["Person"].where(female["Person"] != "Frau", sentence + " Frau")
    female["Person_number"] = named.map({p: i for i, p in enumerate(women)})
    both = male.merge(female, on=keys)
    assert len(both) == len(male) == 2610
    swapper = Swapper("german")
    assert [swapper.swap(s, "female") for s in both["Sentence_x"]] == both["Sentence_y"].tolist()
