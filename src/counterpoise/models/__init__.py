"""What is measured: language models, encoders, classifiers, word vectors and more."""

from counterpoise.models.answer_function import AnswerFunction
from counterpoise.models.answering import Answer, Sampling
from counterpoise.models.causal import CausalLM
from counterpoise.models.classifier import Classifier
from counterpoise.models.coreference import CoreferenceSystem
from counterpoise.models.encoder import Encoder
from counterpoise.models.endpoints.capabilities import Rung
from counterpoise.models.endpoints.endpoint import Endpoint
from counterpoise.models.function_classifier import FunctionClassifier
from counterpoise.models.function_inference import FunctionInference
from counterpoise.models.inference import InferenceModel
from counterpoise.models.loading import load
from counterpoise.models.masked import MaskedLM
from counterpoise.models.text_start import Chat
from counterpoise.models.transformer import Transformer
from counterpoise.models.vectors import WordVectors

__all__ = [
    "Answer",
    "AnswerFunction",
    "CausalLM",
    "Chat",
    "Classifier",
    "CoreferenceSystem",
    "Encoder",
    "Endpoint",
    "FunctionClassifier",
    "FunctionInference",
    "InferenceModel",
    "MaskedLM",
    "Rung",
    "Sampling",
    "Transformer",
    "WordVectors",
    "load",
]
