"""Generation: what does a model answer when it is asked about people?"""
