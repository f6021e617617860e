"""Error codes of trained models: what is wrong, and what to do about it."""

from __future__ import annotations

CODES: dict[str, tuple[str, str]] = {
    "SJ020": (
        "no such model here",
        "The message names the file or folder. Paths are relative to where the command runs.",
    ),
    "SJ021": (
        "too little to train on",
        "A detector needs questions of both kinds, answerable and not (or SQL that is right and "
        "SQL that is wrong), at least five of each. A graph network needs pairs of both labels for "
        "training and, of other databases, for validation. A jury needs both labels, and five "
        "questions.",
    ),
    "SJ022": (
        "a language model that cannot be loaded",
        "It is the folder of a causal language model as transformers writes it (config.json, "
        "tokenizer, weights), of a PEFT adapter whose base model is where it was, or, where a hub "
        "can be reached, a model's name.",
    ),
    "SJ023": (
        "a tokenizer without single tokens for Yes and No",
        "A verifier's score is the probability of one token. Nearly all published models have "
        "them; for others train with --set objective=bce, which ends in a number.",
    ),
    "SJ024": (
        "memory does not suffice for a model",
        "Batches are halved as long as they do not fit; this is a single prompt.",
    ),
    "SJ025": (
        "nothing that can be calibrated",
        "Calibration compares scores with labels: one finite score and one label for each case.",
    ),
    "SJ026": (
        "a folder that holds another training, or something else",
        "`sqljury train verifier` and `train generator` write a folder of their own, and go on "
        "with what they find there if base, data and settings are the same; otherwise give another "
        "--out.",
    ),
    "SJ027": (
        "too little to train a language model on",
        "A verifier needs candidates with labels, right and wrong ones, of at least ten questions, "
        "a generator ten questions with references: some are kept back for validation.",
    ),
    "SJ028": (
        "a representation that does not exist",
        "Detectors turn texts into vectors by lsa, embeddings[,model=FOLDER-OR-NAME] or "
        "hidden,model=FOLDER[,layer=N][,pooling=mean|last]: a sentence model, or the hidden states "
        "of a language model.",
    ),
    "SJ029": (
        "a file of pairs that cannot be used",
        "`sqljury train graph-match` reads what `sqljury build pairs` writes: a JSON object a "
        "line with db_id, reference, prediction, label (0 or 1) and split (train or validation). "
        "Schemas come from --databases or --schemas.",
    ),
    "SJ030": (
        "a model file of another kind or version",
        "The file was written by another `sqljury train` command, or by another version of "
        "sqljury. Train again, or use the version that wrote it.",
    ),
    "SJ031": (
        "a damaged model file",
        "Part of the file is missing or was changed, or sqljury never wrote it. Copy it again, or "
        "train again.",
    ),
    "SJ032": (
        "a sentence model that cannot be loaded",
        "It is a folder that sentence-transformers wrote or, where a hub can be reached, a "
        "model's name.",
    ),
    "SJ033": (
        "another model than the detector was trained with",
        "A detector knows the vectors of one model. Put that model back where it was, or train "
        "the detector again.",
    ),
    "SJ034": (
        "training settings that are not possible",
        "Batches, evaluations, patience and tokens are whole numbers from 1, lora_rank is one "
        "from 0, epochs and rates are above 0, validation, warmup and lora_dropout are "
        "shares. batch is a multiple of the number of processes. The device of a graph network "
        "is one that torch finds here.",
    ),
    "SJ035": (
        "no such layer",
        "Layers are counted from 0, the input of the first one; -1 is the last.",
    ),
    "SJ036": (
        "a verifier that was trained with another prompt",
        "A verifier is read with the prompt that it was trained with. Leave prompt= out, or train "
        "again where sqljury's text of the prompt has changed since.",
    ),
    "SJ037": (
        "a prompt that leaves no room for an answer",
        "Prompt and answer together are longer than the model was made for. Allow a shorter "
        "answer, or show less of the schema.",
    ),
    "SJ038": (
        "a verifier that cannot be served",
        "An endpoint gives the probabilities of words. A verifier that was trained with "
        "objective=bce ends in a number: use it from its folder, without served=.",
    ),
}
