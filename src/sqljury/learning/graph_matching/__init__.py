"""Graph matching: a network that computes a distance between the graphs of two queries.

Graphs are passed as plain values (:class:`~sqljury.learning.graph_matching.graphs.QueryGraphLike`);
scoring and training need ``sqljury[torch]``. Torch is imported only when training or scoring:
:mod:`.matcher` (a trained network), :mod:`.training`, :mod:`.pretraining`.

Source: Zhan et al. 2024 (FuncEvalGMN), section 4 and appendices B, C and L; the network is that
of Li et al. 2019 (graph matching networks).
"""
