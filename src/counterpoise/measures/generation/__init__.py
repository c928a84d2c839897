"""Generation: what does a model write when it is asked about people?"""
