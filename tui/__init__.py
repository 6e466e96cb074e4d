"""trn-models: does this Hugging Face model run on AWS Trainium2, and how do I run it again here?"""

__version__ = "0.1.0"
