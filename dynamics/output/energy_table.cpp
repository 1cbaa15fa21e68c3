#include <locdyn/dynamics/output/energy_table.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <string>
#include <utility>

#include <locdyn/ldy/file_error.hpp>

namespace locdyn {
namespace fs = std::filesystem;
namespace {

constexpr const char* kHeader =
    "step,time [s],kinetic [J],potential [J],total [J],correction [J],"
    "momentum x [kg m/s],momentum y [kg m/s],momentum z [kg m/s],"
    "angular momentum x [kg m2/s],angular momentum y [kg m2/s],angular momentum z [kg m2/s],"
    "contacts,constraints,islands,iterations,status,residual,penetration [m],largest speed [m/s],parts,"
    "detection [s],assembly [s],solve [s],correction time [s],other [s]\n";

void add(std::string& line, const std::string& field) {
  line += ',';
  line += field;
}

void add(std::string& line, std::initializer_list<double> values) {
  for (const double value : values) {
    char text[32];
    std::snprintf(text, sizeof text, ",%.17g", value);
    line += text;
  }
}

std::string line_of(const StepReport& r) {
  std::string line = std::to_string(r.step);
  const Eigen::Vector3d &p = r.momentum, &L = r.angular_momentum;
  add(line, {r.time, r.kinetic_energy, r.potential_energy, r.kinetic_energy + r.potential_energy, r.correction_energy,
             p.x(), p.y(), p.z(), L.x(), L.y(), L.z()});
  for (const std::size_t count : {r.contacts, r.constraints, r.islands}) add(line, std::to_string(count));
  add(line, std::to_string(r.iterations));
  add(line, to_string(r.status));
  add(line, {r.residual, r.penetration, r.largest_speed});
  add(line, std::to_string(r.parts));
  const StepReport::Stages& s = r.seconds;
  add(line, {s.detection, s.assembly, s.solve, s.correction, s.other});
  line += '\n';
  return line;
}

}  // namespace

struct EnergyTable::Parts {
  fs::path path;
  int descriptor = -1;
  off_t end = 0;  // of the last whole line

  void write(const std::string& line) {
    std::size_t done = 0;
    while (done < line.size()) {
      const ssize_t written = ::write(descriptor, line.data() + done, line.size() - done);
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) {
        const int error = written < 0 ? errno : ENOSPC;
        if (::ftruncate(descriptor, end) != 0) errno = 0;  // the line in part stays: the error below says so
        throw FileError(path, "", "room for another line", std::strerror(error));
      }
      done += static_cast<std::size_t>(written);
    }
    end += static_cast<off_t>(line.size());
  }
};

EnergyTable::EnergyTable(const fs::path& path) : parts_(std::make_unique<Parts>()) {
  parts_->path = path;
  std::error_code none;
  const fs::file_status status = fs::status(path, none);
  if (fs::is_directory(status)) throw FileError(path, "", "a file to write", "a folder");
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    throw FileError(path, "", "a regular file to write", "a device, pipe or socket");
  }
  parts_->descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (parts_->descriptor < 0) throw FileError(path, "", "a file that can be written to", std::strerror(errno));
  try {
    parts_->write(kHeader);
  } catch (...) {
    ::close(parts_->descriptor);
    throw;
  }
}

EnergyTable::~EnergyTable() {
  if (parts_ != nullptr && parts_->descriptor >= 0) ::close(parts_->descriptor);
}

void EnergyTable::append(const StepReport& report) {
  parts_->write(line_of(report));
}

void EnergyTable::close() {
  const int descriptor = std::exchange(parts_->descriptor, -1);
  if (descriptor >= 0 && ::close(descriptor) != 0) {
    throw FileError(parts_->path, "", "room for the whole table", std::strerror(errno));
  }
}

}  // namespace locdyn
