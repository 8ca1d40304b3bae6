"""The commands by the question they answer, without importing any of them."""

from __future__ import annotations

#: Question -> {command: (module of this package:function, one line of help)}; what is asked most stands first.
QUESTIONS = {
    "Where to begin?": {
        "demo": ("first_steps:demo", "A made-up collection, and what Tauscope says of it."),
        "check": ("first_steps:check", "What is odd about these scores?"),
        "report": ("first_steps:report", "One page with the answers, to read and to send."),
        "serve": ("first_steps:serve", "The same in the browser: drop files, ask, look."),
    },
    "Do two rankings agree?": {
        "correlate": ("adapter:correlate", "Do two rankings agree?"),
    },
    "Can this judge replace people?": {
        "compare": ("adapter:compare", "Can this judge replace people? Which of several is closest?"),
        "audit": ("adapter:audit", "Is this judge as good as people, and impartial?"),
        "hybrid": ("adapter:hybrid", "People on some topics, a judge on all: one ranking."),
    },
    "Would the ranking hold?": {
        "expected": ("adapter:expected", "Would this ranking hold on new topics?"),
        "significance": ("adapter:significance", "Which differences are significant?"),
    },
    "What may a leaderboard print?": {
        "rank": ("adapter:rank", "Which ranks do the data support?"),
        "gate": ("adapter:gate", "Do the claims about a board hold?"),
        "versions": ("adapter:versions", "What changed between versions of a board?"),
        "variance": ("adapter:variance", "Where does the variance of scores come from?"),
    },
    "How good are these runs?": {
        "evaluate": ("evaluate:evaluate", "From runs and judgments to scores."),
    },
}
#: Group of commands -> (one line of help, its commands as above, the question it stands under).
GROUPS = {
    "coefficients": (
        "Which coefficient to use, what each is, and rank-biased overlap.",
        {
            "list": ("coefficients:list_all", "List the coefficients and their properties."),
            "choose": ("coefficients:choose", "Recommend a coefficient for your question."),
            "explain": ("coefficients:explain", "Explain one coefficient."),
            "identify": ("coefficients:identify", "Find the coefficient behind a published number."),
            "rbo": ("coefficients:overlap", "Measure how much two lists share from the top down."),
        },
        "Do two rankings agree?",
    ),
    "measures": (
        "Which measures to report, and what the others would have been.",
        {
            "correlate": ("adapter:measures_correlate", "Which measures, or tasks, say the same?"),
            "list": ("measures:list_measures", "Which measures are there, and by which conventions?"),
            "predict": ("measures:predict", "What would an unreported measure have been?"),
            "rank": ("adapter:measures_rank", "Which few measures say most?"),
            "low-to-high": ("adapter:measures_low_to_high", "How deep must be judged to predict deep measures?"),
            "topics": ("adapter:measures_topics", "Which few topics, or tasks, keep the ranking?"),
        },
        "Which measures and topics to report?",
    ),
    "experiments": (
        "How do coefficients and estimators behave?",
        {
            "study": ("experiments:study", "Which estimator of the true correlation is best here?"),
            "judgments": ("adapter:experiments_judgments", "How few judgments are enough?"),
            "power": ("adapter:experiments_power", "How well does one measure predict another on new topics?"),
            "swaps": ("adapter:experiments_swaps", "How do coefficients respond when a few pairs change places?"),
            "perturb": ("adapter:experiments_perturb", "How do coefficients respond when scores move and ranks stay?"),
            "simulate": ("experiments:simulate", "The same systems on new topics, the truth known."),
            "reproduce": ("experiments:reproduce", "Which numbers of a paper hold?"),
        },
        "How do these methods behave?",
    ),
}
_OF_GROUPS = [question for _, _, question in GROUPS.values()]
#: The order of the questions in the help.
ORDER = tuple(dict.fromkeys([*list(QUESTIONS)[:5], *_OF_GROUPS, *list(QUESTIONS)[5:]]))
