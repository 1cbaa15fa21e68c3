#pragma once
// Pictures of mechanisms and curves as SVG: panels beside each other, each a frame around lines that it is scaled to.

#include <Eigen/Core>
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

namespace example {

struct Line {
  std::vector<Eigen::Vector2d> points;
  std::string colour = "black";
  double width = 1.5;    ///< [px]
  bool markers = false;  ///< a dot at each point: the joints of a mechanism
};

enum class Axes {
  own,  ///< x and y each fill the frame
  equal
};

class Svg {
 public:
  /// A panel more, to the right of those there are.
  void panel(const std::string& title, const std::vector<Line>& lines, Axes axes = Axes::own) {
    Eigen::Array2d low = Eigen::Array2d::Constant(std::numeric_limits<double>::infinity()), high = -low;
    for (const Line& line : lines) {
      for (const Eigen::Vector2d& p : line.points) {
        low = low.min(p.array());
        high = high.max(p.array());
      }
    }
    Eigen::Array2d size = (high - low).max(1e-12);
    if (axes == Axes::equal) size = Eigen::Array2d::Constant(size.maxCoeff());
    const Eigen::Array2d middle = 0.5 * (low + high);
    const auto place = [&](const Eigen::Vector2d& p) {
      const Eigen::Array2d t = (p.array() - middle) / size * kInner;
      return Eigen::Array2d(left_ + 0.5 * kOuter + t.x(), kTop + 0.5 * kOuter - t.y());
    };
    text_ << "<rect x='" << left_ << "' y='" << kTop << "' width='" << kOuter << "' height='" << kOuter
          << "' fill='none' stroke='#bbb'/>\n<text x='" << left_ << "' y='" << kTop - 8 << "'>" << title << "</text>\n";
    const auto number = [](double value) {
      char spelled[32];
      std::snprintf(spelled, sizeof spelled, "%.4g", value);
      return std::string(spelled);
    };
    text_ << "<text x='" << left_ << "' y='" << kTop + kOuter + 16 << "'>x " << number(low.x()) << " … "
          << number(high.x()) << ", y " << number(low.y()) << " … " << number(high.y()) << "</text>\n";
    for (const Line& line : lines) {
      text_ << "<polyline fill='none' stroke='" << line.colour << "' stroke-width='" << line.width << "' points='";
      for (const Eigen::Vector2d& p : line.points) text_ << place(p).x() << ',' << place(p).y() << ' ';
      text_ << "'/>\n";
      for (const Eigen::Vector2d& p : line.points) {
        if (!line.markers) break;
        text_ << "<circle cx='" << place(p).x() << "' cy='" << place(p).y() << "' r='4' fill='white' stroke='"
              << line.colour << "'/>\n";
      }
    }
    left_ += kOuter + 20;
  }

  /// Writes the file and says so; false where that fails.
  [[nodiscard]] bool save(const char* name) const {
    std::ofstream file(name);
    file << "<svg xmlns='http://www.w3.org/2000/svg' width='" << left_ << "' height='" << kTop + kOuter + 30
         << "' font-family='sans-serif' font-size='13'>\n<rect width='100%' height='100%' fill='white'/>\n"
         << text_.str() << "</svg>\n";
    file.close();
    std::printf("picture: %s\n", name);
    return static_cast<bool>(file);
  }

 private:
  static constexpr double kOuter = 320, kInner = 290, kTop = 30;  // px
  double left_ = 20;
  std::ostringstream text_;
};

}  // namespace example
