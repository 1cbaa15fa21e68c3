#pragma once
// One HTML file that shows a run or a contact problem in a browser. It opens from disk and needs no network: the viewer
// (viewer/) and the data lie in it, quantised and deflated in chunks that the page unpacks as it plays.

#include <cstddef>
#include <filesystem>
#include <string>

#include <locdyn/ldy/file_error.hpp>
#include <locdyn/ldy/local_dynamics.hpp>

namespace locdyn {

/// What a page shows.
struct PageOptions {
  std::string title = {};          ///< empty: that of the run, else the file's name
  std::size_t contacts = 400'000;  ///< rows of contacts at most, > 0: of longer runs every k-th frame has them
  std::size_t table_rows = 2000;   ///< lines of the plots at most, ≥ 2
  double accuracy = 5e-4;          ///< of places, over the median size of bodies; 0 < accuracy ≤ 0.1
};

/// Throws std::invalid_argument naming the field.
void validate(const PageOptions& options);

/// Is there an HDF5 file with the states of bodies over time? Never throws for what cannot be read.
[[nodiscard]] bool is_trajectory(const std::filesystem::path& path);

/// The page of a run: its folder (trajectory.h5 with energies.csv or path.csv where they are there) or its trajectory
/// alone. Throws std::invalid_argument for options, FileError where `run` is no run, is damaged, or `out` cannot be
/// written; then `out` is as it was. Cost: linear in bodies × frames. Not thread-safe, as HDF5.
void write_run_page(const std::filesystem::path& run, const std::filesystem::path& out,
                    const PageOptions& options = {});

/// The page of a contact problem: its graph with R and U as they lie in it, and the residual by contact. U is set to
/// B + W R. `note` is shown beside the title. Errors as above. Cost: a residual, and some fifty searches of the graph.
void write_graph_page(LocalDynamics& ldy, const std::string& note, const std::filesystem::path& out,
                      const PageOptions& options = {});

}  // namespace locdyn
