"""Graph matching: a network that says how likely the graphs of two queries are equivalent.

Graphs are passed as plain values (:class:`~sqljury.learning.graph_matching.graphs.QueryGraphLike`);
scoring and training need ``sqljury[torch]``. Torch is imported only when training or scoring:
:mod:`.matcher` (a trained network), :mod:`.network`, :mod:`.training`.

Source: Zhan et al. 2024 (FuncEvalGMN), section 4 and appendices B and C; the network follows that
of Li et al. 2019 (graph matching networks).
"""
