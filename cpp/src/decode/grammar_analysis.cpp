// Fixed points by counting what is still open, and strongly connected components by Tarjan's algorithm with its own
// stack.
#include "decode/grammar_analysis.h"

#include <algorithm>
#include <utility>

namespace speech {
namespace {

using Symbol = Grammar::Symbol;

/// Components of a graph: two nodes are in one if each leads to the other. Source: Tarjan 1972.
template <typename Edge>
std::vector<std::size_t> components(const std::vector<std::vector<Edge>>& edges) {
  constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  struct Visit {
    std::size_t node;
    std::size_t next_edge;
  };
  const std::size_t n = edges.size();
  std::vector<std::size_t> order(n, kNone);
  std::vector<std::size_t> low(n, 0);
  std::vector<std::size_t> component(n, kNone);
  std::vector<std::size_t> open;
  std::vector<Visit> visits;
  std::size_t n_seen = 0;
  std::size_t n_components = 0;
  const auto enter = [&](std::size_t node) {
    order[node] = low[node] = n_seen++;
    open.push_back(node);
    visits.push_back({node, 0});
  };
  for (std::size_t root = 0; root < n; ++root) {
    if (order[root] != kNone) {
      continue;
    }
    enter(root);
    while (!visits.empty()) {
      const std::size_t node = visits.back().node;
      if (visits.back().next_edge < edges[node].size()) {
        const std::size_t to = edges[node][visits.back().next_edge++].to;
        if (order[to] == kNone) {
          enter(to);
        } else if (component[to] == kNone) {
          low[node] = std::min(low[node], order[to]);
        }
        continue;
      }
      visits.pop_back();
      if (!visits.empty()) {
        low[visits.back().node] = std::min(low[visits.back().node], low[node]);
      }
      if (low[node] == order[node]) {
        std::size_t member = kNone;
        while (member != node) {
          member = open.back();
          open.pop_back();
          component[member] = n_components;
        }
        ++n_components;
      }
    }
  }
  return component;
}

}  // namespace

GrammarAnalysis::GrammarAnalysis(std::span<const Symbol> symbols, std::span<const std::uint32_t> alternatives,
                                 std::span<const std::size_t> first_alternative)
    : symbols_(symbols), alternatives_(alternatives), first_alternative_(first_alternative) {
  Solution ending = solve(true);
  rule_ends_ = std::move(ending.rules);
  alternative_ends_ = std::move(ending.alternatives);
  may_be_empty_ = solve(false).rules;
}

GrammarAnalysis::Solution GrammarAnalysis::solve(bool sets_hold) const {
  Solution solution{std::vector<bool>(n_rules(), false), std::vector<bool>(alternatives_.size(), false)};
  std::vector<std::size_t> n_open(alternatives_.size(), 0);
  std::vector<std::size_t> rule_of(alternatives_.size(), 0);
  std::vector<std::vector<std::size_t>> used_by(n_rules());  // alternatives, once for each use
  std::vector<std::size_t> settled;                          // alternatives of which nothing is open
  for (std::size_t rule = 0; rule < n_rules(); ++rule) {
    for (std::size_t i = first_alternative_[rule]; i < first_alternative_[rule + 1]; ++i) {
      rule_of[i] = rule;
      for (std::size_t at = alternatives_[i]; symbols_[at].kind != Symbol::Kind::kEnd; ++at) {
        if (symbols_[at].kind == Symbol::Kind::kRule) {
          ++n_open[i];
          used_by[symbols_[at].index].push_back(i);
        } else if (!sets_hold) {
          ++n_open[i];  // never settled
        }
      }
      if (n_open[i] == 0) {
        settled.push_back(i);
      }
    }
  }
  while (!settled.empty()) {
    const std::size_t alternative = settled.back();
    settled.pop_back();
    solution.alternatives[alternative] = true;
    const std::size_t rule = rule_of[alternative];
    if (solution.rules[rule]) {
      continue;
    }
    solution.rules[rule] = true;
    for (const std::size_t user : used_by[rule]) {
      if (--n_open[user] == 0) {
        settled.push_back(user);
      }
    }
  }
  return solution;
}

std::vector<std::vector<GrammarAnalysis::Edge>> GrammarAnalysis::leftmost_edges() const {
  std::vector<std::vector<Edge>> edges(n_rules());
  for (std::size_t rule = 0; rule < n_rules(); ++rule) {
    for (std::size_t i = first_alternative_[rule]; i < first_alternative_[rule + 1]; ++i) {
      const std::size_t begin = alternatives_[i];
      for (std::size_t at = begin; symbols_[at].kind == Symbol::Kind::kRule; ++at) {
        const bool is_last = symbols_[at + 1].kind == Symbol::Kind::kEnd;
        edges[rule].push_back({symbols_[at].index, is_last && at > begin});
        if (!may_be_empty_[symbols_[at].index]) {
          break;
        }
      }
    }
  }
  return edges;
}

std::optional<std::size_t> GrammarAnalysis::left_recursive_rule() const {
  const std::vector<std::vector<Edge>> edges = leftmost_edges();
  const std::vector<std::size_t> component = components(edges);
  for (std::size_t rule = 0; rule < edges.size(); ++rule) {
    for (const Edge& edge : edges[rule]) {
      if (component[edge.to] == component[rule] && !edge.repeats) {
        return rule;
      }
    }
  }
  return std::nullopt;
}

}  // namespace speech
