"""Static word vectors: association tests, gender directions, neighbourhoods."""
