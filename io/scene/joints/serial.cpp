#include <locdyn/io/scene/joints/serial.hpp>

#include <exception>

namespace locdyn::scene_format {
namespace {

SerialChain chain_of(const SceneSerial& j, std::optional<BodyId> master, BodyId slave) {
  std::vector<SerialAxis> axes;
  for (const SceneSerialAxis& axis : j.axes) {
    const bool turns = std::holds_alternative<SceneHinge>(axis.type);
    std::visit([&](const auto& a) { axes.push_back({turns, a.point, a.axis}); }, axis.type);
  }
  return {master, slave, std::move(axes)};
}

std::string name_of(const SceneSerial& j, std::size_t i, const std::string& joint) {
  if (!j.axes[i].name.empty() || joint.empty()) return j.axes[i].name;
  return joint + "[" + std::to_string(i) + "]";
}

}  // namespace

void check(const SceneSerial& j, const JointFaults& faults) {
  bool sound = true;
  for (std::size_t i = 0; i < j.axes.size(); ++i) {
    const std::string place = faults.place + ".axes[" + std::to_string(i) + "]";
    const std::size_t before = faults.list.faults.size();
    const JointFaults of_axis{place, faults.bodies, faults.list};
    std::visit([&](const auto& a) { check(a, of_axis); }, j.axes[i].type);
    sound = sound && faults.list.faults.size() == before;
  }
  if (!sound) return;
  try {
    static_cast<void>(chain_of(j, std::nullopt, BodyId{0}));
  } catch (const std::invalid_argument& fault) {
    faults.list.faults.push_back(faults.place + "." + fault.what());
  }
}

void check_in_mechanism(const SceneSerial& j, const JointFaults& faults) {
  for (std::size_t i = 0; i < j.axes.size(); ++i) {
    const std::string place = faults.place + ".axes[" + std::to_string(i) + "]";
    const JointFaults of_axis{place, faults.bodies, faults.list};
    std::visit([&](const auto& a) { of_axis.require_drive_of_mechanism(a.kCoordinate, a.drive); }, j.axes[i].type);
  }
}

void build(const SceneSerial& j, const JointBuilder& to) {
  if (to.planar) throw std::invalid_argument("serial joint: expected bodies in space, found a planar one");
  const SerialChain chain = chain_of(j, to.master, to.slave);
  if (chain.size() < 6) to.add<SerialJoint>("", chain);
  for (std::size_t i = 0; i < chain.size(); ++i) {
    const std::string name = name_of(j, i, to.name);
    const JointBuilder of_axis{{to.slave, to.master}, to.system, name, false, to.springs};
    std::visit([&](const auto& a) { of_axis.add_drive(serial_coordinate(chain, i), a.drive); }, j.axes[i].type);
  }
}

}  // namespace locdyn::scene_format
