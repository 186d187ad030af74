#!/usr/bin/env bash
# dead_code_test.sh WORK: a small tree with dead functions; the check must name each of them, and nothing else.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
work=$1
rm -rf "$work"
mkdir -p "$work"/{core/a,app/gui,app/cli,tests}
cat >"$work/core/a/shape.h" <<'END'
#pragma once
namespace slipway {
// Not a use: forgotten(); nor "forgotten()".
double area(double side = kSide(1));
int forgotten(int times);
inline Result<std::vector<int>> onlyTested() { return {}; }
[[nodiscard]] const char* calledByTheDead(int (*take)(int));
bool isEven(int n);
bool isOdd(int n);
void passedOn(int value);
template <class T>
T twice(T value) {
    return value * 2;
}
#define SHAPES visit(inMacro())
int inMacro();
struct Shape {
    virtual ~Shape() = default;
    virtual void paint() = 0;
    int sides() const { return m_sides; }
    Shape operator+(const Shape& other) const;
    int waiting() const;
    int gone() const;
    int m_sides = 0;
};
}  // namespace slipway
END
cat >"$work/core/a/shape.cpp" <<'END'
#include "core/a/shape.h"
namespace slipway {
double area(double side) {
    return side * side;
}
int forgotten(int times) {
    return times > 0 ? forgotten(times - 1) : calledByTheDead(nullptr)[0];
}
const char* calledByTheDead(int (*take)(int)) {
    return take ? "{" : "}";
}
bool isEven(int n) {
    return n == 0 || isOdd(n - 1);
}
bool isOdd(int n) {
    return n != 0 && isEven(n - 1);
}
void passedOn(int value) {
    (void)value;
}
int Shape::waiting() const {
    return 1;
}
int Shape::gone() const {
    return 2;
}
}  // namespace slipway
END
cat >"$work/app/gui/page.h" <<'END'
#pragma once
class Page : public Shape {
    Q_OBJECT

public:
    explicit Page(int sides);
    void paint() override;
    void show(int page);
    /// For tests: what it
    /// shows.
    int shown() const;

signals:
    void changed();
    void unheard(int page);

private:
    void neverWritten();
};
END
cat >"$work/app/gui/page.cpp" <<'END'
#include "app/gui/page.h"
void Page::show(int page) {
    emit unheard(page);
    emit changed();
}
END
cat >"$work/app/cli/main.cpp" <<'END'
#include "core/a/shape.h"
int main() {
    Page page(3);
    connect(&page, &Page::changed, [&] { page.show(twice(1)); });
    each(values, passedOn);
    page.paint();
    return kIsBig && page.sides() * area(2) > 1;
}
END
cat >"$work/tests/tst_shape.cpp" <<'END'
int test() { return forgotten(1) + onlyTested().size() + isEven(2) + Shape().waiting() + Shape().gone(); }
END
printf '# name  page\nwaiting  Playbook: chapter 1\narea  Playbook: chapter 2\ngone\n' >"$work/waiting.txt"
cat >"$work/expected" <<'END'
WORK/waiting.txt: area is called or gone; remove its line
WORK/waiting.txt: gone names no page
app/gui/page.h:15: nothing in the programs calls unheard()
app/gui/page.h:18: nothing in the programs calls neverWritten()
core/a/shape.h:5: nothing in the programs calls forgotten()
core/a/shape.h:6: nothing in the programs calls onlyTested()
core/a/shape.h:7: nothing in the programs calls calledByTheDead()
core/a/shape.h:8: nothing in the programs calls isEven()
core/a/shape.h:9: nothing in the programs calls isOdd()
9 findings
END
if python3 "$here/dead_code.py" "$work" "$work/waiting.txt" >"$work/found"; then
    printf 'the check found nothing\n' >&2
    exit 1
fi
sed "s#$work#WORK#" "$work/found" | diff "$work/expected" -
rm -rf "$work"
