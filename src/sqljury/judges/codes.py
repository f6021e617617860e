"""Error codes of judges: what is wrong, and what to do about it."""

from __future__ import annotations

CODES: dict[str, tuple[str, str]] = {
    "SJ301": (
        "no such judge",
        "`sqljury list judges` lists all judges. A judge of your own is named by its module or "
        "file and its class: my_pkg.my_judge:Mine, or judges/mine.py:Mine.",
    ),
    "SJ302": (
        "not a judge",
        "A judge is an object with name, version, needs and judge(case, evidence); see "
        "docs/judges.md for one in twenty lines.",
    ),
    "SJ303": (
        "a judge cannot be imported",
        "The module must be importable from the working directory, or the path must lead to a "
        "Python file; the class is named after a colon.",
    ),
    "SJ304": (
        "a judge's option is wrong",
        "Judges are written NAME[:VARIANT][,key=value...], such as "
        "execution:strict,tolerance=1e-6. `sqljury list judges` shows the options.",
    ),
    "SJ305": (
        "no chat model in this run",
        "A judge asked a chat model without declaring that it needs one: its `needs` must hold "
        "Needs.LLM.",
    ),
    "SJ348": (
        "no such group of features",
        "`sqljury evaluate --groups` takes names of groups, joined by +: execution+faults. The "
        "message lists the groups that there are.",
    ),
    "SJ350": (
        "a judge that asks a model needs the option model",
        "Write --judge rose,model=PROVIDER:MODEL, such as model=openai:o3-2025-04-16 (a name with "
        "a date keeps scores of different versions apart), or name a server of your own "
        "with model_options=base_url=http://localhost:8000/v1.",
    ),
    "SJ351": (
        "options of a model that cannot be read",
        "Written key=value, several joined by semicolons: model_options=temperature=0;seed=7.",
    ),
    "SJ352": (
        "a panel that cannot vote",
        "models=A+B+C names two or more different models; member is the judge that each model is "
        "used with (rose, prover, flex, ...).",
    ),
    "SJ353": (
        "recorded judgements are missing, or several could be meant",
        "A recording is an output folder of ROSE's reference implementation. In a tree of them "
        "name one with metric=… and model=…: --judge recorded,dir=output,model=o3,metric=ROSE.",
    ),
    "SJ356": (
        "a detector without its model",
        "The judge detector needs a model file: detector,model=PATH, made by `sqljury train "
        "detector`.",
    ),
    "SJ357": (
        "a file without demonstrations",
        "demos=FILE is a file of cases with questions: answerable ones with a reference, others "
        "with answerable=false or the reference null.",
    ),
    "SJ358": (
        "a judge that needs token log-probabilities has none",
        "logprobs=FILE is an object by question id, or rows with an id and logprobs: a list of "
        "numbers, or OpenAI's list of objects with logprob and top_logprobs.",
    ),
}
