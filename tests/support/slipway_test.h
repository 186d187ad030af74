// Registers Qt Test classes with the one main() of a test program.
//   class TstUnits : public QObject { Q_OBJECT private slots: void bytes(); };
//   SLIPWAY_TEST(TstUnits)
//   #include "tst_units.moc"
// `tst_room` runs every class, `tst_room TstUnits` one; further arguments go to Qt Test.
#pragma once

#include <QObject>
#include <QTest>
#include <functional>
#include <string>

namespace slipway::test {

/// Remembers a class under its name; called by SLIPWAY_TEST before main().
bool registerTest(const char* name, std::function<QObject*()> make);

}  // namespace slipway::test

#define SLIPWAY_TEST(Class)                 \
    static const bool s_registered##Class = \
        slipway::test::registerTest(#Class, [] { return static_cast<QObject*>(new Class); });

/// The same for a class that takes long: CTest labels it `full`, only ./test --full runs it.
#define SLIPWAY_TEST_FULL(Class) SLIPWAY_TEST(Class)
