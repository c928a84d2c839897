"""The parts of `pretrain_builtin.py`: text to rows, masking, training, evaluation."""
