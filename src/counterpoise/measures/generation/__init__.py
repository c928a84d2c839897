"""Generation: what do a model's answers say about men and women?"""
