// A computation that is written down: what it prints, in whose hands it reaches the value to the last bit.
#include "core/planner/terms/term.h"
#include "tests/support/slipway_test.h"

#include <limits>

namespace slipway {

class TstTerm : public QObject {
    Q_OBJECT

    static Term of(const char* name, double value) { return {name, value, "s"}; }

private slots:
    void formulasKeepTheOrderOfTheComputation() {
        const Term a = of("a", 2), b = of("b", 3), c = of("c", 5);
        QCOMPARE((a + b + c).formula(), std::string("a + b + c"));
        QCOMPARE((a + (b + c)).formula(), std::string("a + (b + c)"));
        QCOMPARE((a - (b - c)).formula(), std::string("a - (b - c)"));
        QCOMPARE((a * (b + c)).formula(), std::string("a * (b + c)"));
        QCOMPARE((a * b / c).formula(), std::string("a * b / c"));
        QCOMPARE((a * (b / c)).formula(), std::string("a * (b / c)"));
        QCOMPARE((a / (b * c)).formula(), std::string("a / (b * c)"));
        QCOMPARE(larger(0.0, a - 0.5 * b).formula(), std::string("max(0, a - 0.5 * b)"));
        QCOMPARE((c * smaller(1.0, a / b)).formula(), std::string("c * min(1, a / b)"));
        QCOMPARE((a * (b / c)).value(), 2.0 * (3.0 / 5.0));
        QCOMPARE(larger(a, b).value(), 3.0);
        QCOMPARE(smaller(a, b).value(), 2.0);
    }
    void namesAreWhereFormulasStop() {
        const Term inner = (of("a", 2) * of("b", 3)).as("product", "s");
        const Term outer = inner + inner / of("b", 3);
        QCOMPARE(outer.formula(), std::string("product + product / b"));
        QCOMPARE(outer.value(), 8.0);
        QCOMPARE(outer.operands().size(), std::size_t{2});
        QCOMPARE(outer.operands().front().formula(), std::string("a * b"));
        QVERIFY(outer.operands().front().isComputed() && !outer.operands().back().isComputed());
        // A second name is computed from the first alone.
        const Term renamed = inner.as("figure", "s");
        QCOMPARE(renamed.formula(), std::string("product"));
        QCOMPARE(renamed.operands().front().name(), std::string("product"));
        QCOMPARE(renamed.name(), std::string("figure"));
        QCOMPARE(of("a", 2).formula(), std::string("a"));
    }
    void nothingIsAddedToNothing() {
        Term sum;
        QCOMPARE(sum.formula(), std::string("0"));
        sum += of("a", 2);
        sum += Term(0);
        sum -= Term();
        QCOMPARE(sum.formula(), std::string("a"));
        QCOMPARE(Term().as("none", "s").value(), 0.0);
        QVERIFY(!Term().as("none", "s").isComputed());
    }
    void unknownStaysUnknown() {
        const Term nan = of("a", std::numeric_limits<double>::quiet_NaN());
        QVERIFY(std::isnan((nan + of("b", 1)).value()));
        QVERIFY(!(nan > 0.0) && !(nan < 0.0));
        QCOMPARE(larger(0.0, nan).value(), std::max(0.0, nan.value()));  // of a double, too
    }
    void doublesHaveNoNames() {
        QCOMPARE(quantity<double>("a", 2, "s", 1), 2.0);
        QCOMPARE(as(3.0, "b"), 3.0);
        QCOMPARE(quantity<Term>("a", 2, "s", 1).name(), std::string("a.stage_1"));
    }
};

SLIPWAY_TEST(TstTerm)

}  // namespace slipway

#include "tst_term.moc"
