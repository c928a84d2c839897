"""Files in and out: formats as streams of records, compressed or not; blocks of text; lists of files; tables."""
