#include <locdyn/io/output/mechanism_recorder.hpp>

#include <optional>

#include <locdyn/io/output/number_table.hpp>
#include <locdyn/io/output/output_folder.hpp>
#include <locdyn/io/output/trajectory_writer.hpp>

namespace locdyn {
using namespace detail;
namespace {

std::vector<std::string> reaction_columns(const Mechanism& mechanism) {
  std::vector<std::string> names;
  for (const MechanismRow& row : mechanism.rows()) names.push_back(mechanism.spelled(row) + " [N]");
  return names;
}

}  // namespace

struct MechanismRecorder::Parts {
  Parts(const std::filesystem::path& folder, const System& system, const Mechanism& mechanism,
        const MechanismRecorderOptions& options)
      : table(folder / options.table, options.columns),
        reactions(folder / "reactions.csv", reaction_columns(mechanism)) {
    if (options.trajectory) trajectory.emplace(folder / "trajectory.h5", system, TrajectoryOptions{options.title});
  }

  NumberTable table, reactions;
  std::optional<TrajectoryWriter> trajectory;
  long records = 0;
};

MechanismRecorder::MechanismRecorder(const std::filesystem::path& folder, const System& system,
                                     const Mechanism& mechanism, const MechanismRecorderOptions& options)
    : parts_(std::make_unique<Parts>(made_folder(folder), system, mechanism, options)) {}

MechanismRecorder::~MechanismRecorder() = default;

void MechanismRecorder::record(double time, std::span<const double> numbers, const Eigen::VectorXd& reactions) {
  Parts& p = *parts_;
  p.table.append(time, numbers);
  p.reactions.append(time, {reactions.data(), static_cast<std::size_t>(reactions.size())});
  if (p.trajectory) p.trajectory->append({.step = p.records, .time = time, .contacts = {}});
  ++p.records;
}

void MechanismRecorder::close() {
  parts_->table.close();
  parts_->reactions.close();
  if (parts_->trajectory) parts_->trajectory->close();
}

std::size_t MechanismRecorder::frames() const noexcept {
  return parts_->trajectory ? parts_->trajectory->frames() : 0;
}

}  // namespace locdyn
