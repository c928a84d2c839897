"""A detector of sexism: TF-IDF and logistic regression, trained on EDOS in a few seconds.

`counterpoise audit detector:pipeline` measures it. `python detector.py` writes the test comments to edos-test.csv.
"""

from __future__ import annotations

from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import counterpoise as cp

train = cp.data.edos("train")
pipeline = make_pipeline(
    TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True),
    LogisticRegression(C=10, class_weight="balanced", max_iter=1000),
).fit(train.text, train.label)

if __name__ == "__main__":
    cp.data.edos("test").to_csv("edos-test.csv", index=False)
