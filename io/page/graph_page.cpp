// A contact problem as the data of a page: its constraints as nodes, coupled ones joined by edges.

#include <algorithm>
#include <cmath>

#include <locdyn/io/page/graph_layout.hpp>
#include <locdyn/io/page/packed_columns.hpp>
#include <locdyn/io/page/page_file.hpp>
#include <locdyn/io/page/write_page.hpp>
#include <locdyn/ldy/residual.hpp>

namespace locdyn {
using namespace detail;
namespace {

constexpr std::size_t kMostEdges = 100'000;  // drawn: of more, every k-th
constexpr double kSlipShare = 1e-6;          // over the largest |B|: below it a contact sticks

struct Nodes {
  std::vector<ConstraintId> ids;
  std::vector<std::vector<std::uint32_t>> neighbours;
};

Nodes nodes_of(const LocalDynamics& ldy) {
  Nodes nodes;
  std::vector<std::uint32_t> place(ldy.id_bound(), 0);
  for (ConstraintId id{0}; id < ldy.id_bound(); ++id) {
    if (!ldy.contains(id)) continue;
    place[id] = static_cast<std::uint32_t>(nodes.ids.size());
    nodes.ids.push_back(id);
  }
  nodes.neighbours.resize(nodes.ids.size());
  for (const DiagonalBlock& a : ldy.rows()) {
    for (const OffDiagonalBlock& ab : ldy.adjacent(a)) {
      const ConstraintId other = ldy.diagonal_arena()[ab.other].constraint;
      if (other != a.constraint) nodes.neighbours[place[a.constraint]].push_back(place[other]);
    }
  }
  for (std::vector<std::uint32_t>& list : nodes.neighbours) {
    std::ranges::sort(list);
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  return nodes;
}

void add_edges(const Nodes& nodes, PackedColumns& packed, nlohmann::ordered_json& head) {
  std::vector<std::uint32_t> from, to;
  std::size_t all = 0;
  for (const auto& list : nodes.neighbours) all += list.size() / 2;
  const std::size_t every = all / kMostEdges + 1;
  std::size_t count = 0;
  for (std::uint32_t a = 0; a < nodes.neighbours.size(); ++a) {
    for (const std::uint32_t b : nodes.neighbours[a]) {
      if (b <= a || count++ % every != 0) continue;
      from.push_back(a);
      to.push_back(b);
    }
  }
  head["edges"] = from.size();
  head["edgeEvery"] = every;
  packed.add(from);
  packed.add(to);
}

// Columns: place (3), R (3), U (3), friction, residual by contact, state (0 open, 1 sticks, 2 slips, 3 bilateral).
void add_nodes(const LocalDynamics& ldy, const Nodes& nodes, PackedColumns& packed) {
  const std::vector<Eigen::Vector3d> places = lay_out(nodes.neighbours);
  std::vector<float> numbers[11];
  std::vector<std::uint32_t> state;
  double largest = 0;
  for (const ConstraintId id : nodes.ids) largest = std::max(largest, ldy.row(id).B.norm());
  for (std::size_t k = 0; k < nodes.ids.size(); ++k) {
    const ConstraintId id = nodes.ids[k];
    const DiagonalBlock& row = ldy.row(id);
    for (std::size_t i = 0; i < 3; ++i) {
      numbers[i].push_back(static_cast<float>(places[k][Eigen::Index(i)]));
      numbers[3 + i].push_back(static_cast<float>(row.R[Eigen::Index(i)]));
      numbers[6 + i].push_back(static_cast<float>(row.U[Eigen::Index(i)]));
    }
    const bool contact = is_contact(ldy.law(id));
    numbers[9].push_back(contact ? static_cast<float>(friction_discs(ldy.law(id)).sliding[0]) : 0.0f);
    numbers[10].push_back(static_cast<float>(std::sqrt(scaled_residual2(ldy, id))));
    const bool slips = row.U.head<2>().norm() > kSlipShare * largest;
    state.push_back(!contact ? 3 : row.R.z() <= 0 ? 0 : slips ? 2 : 1);
  }
  for (const std::vector<float>& column : numbers) packed.add_floats(column);
  packed.add(state);
}

}  // namespace

void write_graph_page(LocalDynamics& ldy, const std::string& note, const std::filesystem::path& out,
                      const PageOptions& options) {
  validate(options);
  const Residual residual = evaluate_residual(ldy);
  const Nodes nodes = nodes_of(ldy);
  PageData data;
  data.head = {{"kind", "graph"}, {"title", options.title.empty() ? "contact problem" : options.title}, {"note", note}};
  data.head["nodes"] = nodes.ids.size();
  data.head["residual"] = {
      {"scaled", residual.scaled}, {"relative", residual.relative}, {"absolute", residual.absolute}};
  PackedColumns packed;
  add_nodes(ldy, nodes, packed);
  add_edges(nodes, packed, data.head);
  data.head["graph"] = 0;
  data.chunks.push_back(packed.deflated());
  write_page_file(out, data);
}

}  // namespace locdyn
