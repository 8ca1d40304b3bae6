"""Every equation, table and figure of the five papers has a test by name, or a reason why it has none."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parent.parent
ERRATA = TESTS.parent / "docs" / "errata.md"

#: Paper -> its equations, tables and figures -> the test that would notice their loss: file and function.
ITEMS = {
    "gao2015": {
        "equation 1, Pearson": "papers/test_gao2015.py::test_equation_1_is_pearsons_correlation",
        "equation 2, tau_ap": "papers/test_gao2015.py::test_the_last_system_on_top_costs_tau_gap_more_than_tau_ap",
        "equation 3, tau_gap": "papers/test_gao2015.py::test_the_last_system_on_top_costs_tau_gap_more_than_tau_ap",
        "theorem 2": "papers/test_gao2015.py::test_theorem_2_is_false",
        "section 4.1, swaps": "papers/test_gao_experiments.py::"
        "test_the_means_after_five_swaps_are_within_four_standard_errors",
        "figure 1": "papers/test_gao2015.py::test_significant_pairs_of_figure_1_are_1164_of_1830",
        "figures 2 and 3": "papers/test_gao_experiments.py::test_the_replication_says_which_printed_numbers_hold",
        "figures 4 to 6": "papers/test_gao2015.py::test_the_pair_weights_of_trec5_are_those_of_the_specification",
        "section 5, discounting": "papers/test_gao_experiments.py::"
        "test_pairs_that_are_not_significant_no_longer_lower_the_discounted_value",
    },
    "gao2016": {
        "the formula": "papers/test_gao2016.py::test_the_example_of_three_items_follows_the_formula_of_the_poster",
        "the table of properties": "papers/test_gao2016.py::test_the_property_table_is_that_of_the_records",
        "the perturbations": "papers/test_gao_experiments.py::"
        "test_ranks_are_kept_and_only_pearson_and_pearson_rank_see_it",
    },
    "radja2018": {
        "2.1 and 2.2": "papers/test_radja2018.py::test_2_1_1_concordant_discordant_and_independent_rankings",
        "2.3": "papers/test_radja2018.py::test_2_1_2_tau_a_with_three_tied_items",
        "2.4": "papers/test_radja2018.py::test_2_1_3_tau_b_takes_the_tied_pairs_out_of_the_denominator",
        "2.5": "papers/test_radja2018.py::test_2_2_1_discordant_pairs_at_the_head",
        "2.6 to 2.8": "papers/test_radja2018.py::test_2_2_2_equation_2_8_with_its_two_terms_gives_the_same_number",
        "2.9 and 2.10": "papers/test_radja2018.py::test_2_2_3_tau_ap_b_of_the_rankings_in_the_table",
        "3.1 (table)": "papers/test_cases.py::test_correlate_gives_every_value_or_a_reason",
        "4.1 and 4.2": "papers/test_radja2018.py::test_4_1_the_sign_form_gives_the_same_numbers",
        "4.3 and 4.4": "papers/test_radja2018.py::test_4_2_the_sign_form_of_tau_ap_a",
        "4.5 to 4.8": "papers/test_radja2018.py::"
        "test_4_3_the_sign_form_of_tau_ap_b_counts_a_tie_of_the_other_ranking_as_minus_one",
        "5.1": "papers/test_radja2018.py::"
        "test_5_1_tau_e_of_the_always_concordant_and_the_always_discordant_permutations",
        "5.2": "papers/test_radja2018.py::"
        "test_5_2_tau_ap_e_of_the_always_concordant_and_the_always_discordant_permutations",
        "6.1": "papers/test_radja2018.py::test_6_1_1_tau_a_with_thresholds",
        "6.2": "papers/test_radja2018.py::test_6_1_2_tau_ap_a_with_thresholds_is_the_same_both_ways_in_this_example",
        "6.2, stepping": "papers/test_radja2018.py::test_6_1_2_stepping_makes_the_sub_groups_of_the_table",
        "6.3": "papers/test_radja2018.py::test_6_1_3_tau_b_with_thresholds",
        "6.4 and 6.5": "papers/test_radja2018.py::test_6_1_4_tau_ap_b_with_thresholds",
        "6.6": "papers/test_radja2018.py::test_6_2_1_tau_e_with_thresholds",
        "6.7": "papers/test_radja2018.py::test_6_2_2_tau_ap_e_with_thresholds",
        "tables 7.2 to 7.5": "papers/test_radja2018_experiments.py::"
        "test_every_entry_of_tables_7_2_to_7_5_holds_but_those_with_a_known_reason",
        "figures 7.2 to 7.13": "papers/test_radja2018_experiments.py::"
        "test_with_runs_and_judgments_all_figures_are_drawn",
    },
    "gupta2019": {
        "equation 1": "laws/test_subsets.py::test_exact_equals_brute_force_over_all_subsets_of_random_12_x_12_matrices",
        "algorithm 1": "laws/test_subsets.py::"
        "test_backward_equals_step_by_step_determinants_and_so_does_sheffields_rejection",
        "algorithm 2": "laws/test_subsets.py::test_determinant_gain_is_greedy_and_forward_explains_the_most_variance",
        "the matrix of sheffield1985": "papers/test_gupta2019.py::test_the_orders_of_sheffields_matrix_are_exact",
        "table 1": "papers/test_gupta2019.py::"
        "test_a_row_of_table_1_has_its_printed_numbers_and_its_set_is_the_one_chosen",
        "table 3": "papers/test_gupta2019.py::test_the_replication_holds_but_for_the_five_numbers_with_a_known_reason",
        "figure 1": "laws/test_measure_correlations.py::"
        "test_by_topic_is_pearson_over_all_topics_and_systems_and_by_system_over_means",
        "figure 2": "papers/test_gupta2019.py::test_low_cost_measures_predict_rbp_at_depth_1000_as_well_as_said",
        "figure 3": "papers/test_gupta2019.py::test_figure_3_the_determinant_grows_as_measures_are_removed",
    },
    "urbano2016": {
        "1": "papers/test_urbano2016.py::test_equation_1_counts_concordant_and_discordant_pairs",
        "2": "papers/test_urbano2016.py::test_equation_2_sums_discordant_pairs_above_each_system",
        "3": "papers/test_urbano2016.py::test_equation_3_is_tau",
        "4": "papers/test_urbano2016.py::test_equation_4_as_printed_drops_the_last_system",
        "5 to 7, ML": "papers/test_urbano2016_expected.py::test_equations_5_to_7_are_the_tail_of_students_t",
        "8 and 9, MSQD": "papers/test_urbano2016_expected.py::test_equations_8_and_9_fit_the_quantiles_of_a_normal",
        "10, RES": "papers/test_urbano2016_expected.py::test_equation_10_is_the_share_of_resampled_means_below_zero",
        "KD and split-half": "papers/test_urbano2016_expected.py::"
        "test_the_estimators_give_the_numbers_of_the_original_scripts",
        "section 4.2, simulation": "papers/test_urbano2016_simulation.py::"
        "test_published_means_have_the_known_correlation_with_the_original_ones",
        "figures 1 and 2": "papers/test_urbano2016_figures.py::"
        "test_the_figures_of_the_paper_are_within_three_combined_standard_errors",
    },
}


@pytest.mark.parametrize("item", [f"{paper}, {item}" for paper, items in ITEMS.items() for item in items])
def test_an_equation_a_table_or_a_figure_has_its_test(item: str) -> None:
    paper, _, name = item.partition(", ")
    file, _, function = ITEMS[paper][name].partition("::")
    tree = ast.parse((TESTS / file).read_text(encoding="utf-8"))
    assert function in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_what_cannot_be_reproduced_has_its_reason_in_the_errata() -> None:
    section = ERRATA.read_text(encoding="utf-8").partition("## Not to be reproduced")[2]
    rows = {tuple(part.strip() for part in line.split("|")[1:3]) for line in section.splitlines()}
    for place in (
        ("gupta2019", "Table 3"),
        ("gupta2019", "Figure 2"),
        ("gupta2019", "Table 1, columns MAP, nDCG, GMAP"),
    ):
        assert place in rows
