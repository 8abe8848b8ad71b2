using FsCheck;
using FsCheck.Fluent;

namespace Raceway.Proof.Tests.Properties;

/// <summary>Costs that are drawn at random, found again from the calls that they make.</summary>
public sealed class BatchCostPropertyTests
{
    internal sealed record Case(double PerCall, double PerStep, int Width, int[] Sizes, double Noise, int Seed);

    [Fact]
    public async Task Fit_OfCallsOfACost_TellsWhatOthersTake() => await Cases.Check(
        Cases.Count(2_000), s_cases, Smaller, static (one, _) => Check(one));

    private static readonly Gen<Case> s_cases =
        from perCall in Gen.Choose(0, 90)
        from perStep in Gen.Choose(0, 90)
        from width in Gen.Choose(1, 16)
        from sizes in Gen.Choose(1, 4_096).ArrayOf(8)
        from noise in Gen.Choose(0, 20)
        from seed in Gen.Choose(1, int.MaxValue)
        // Prices from a picosecond to a thousand seconds, and none at all.
        select new Case(Price(perCall), Price(perStep), width, sizes, noise / 100.0, seed);

    private static double Price(int drawn) => drawn == 0 ? 0 : Math.Pow(10, (drawn / 6.0) - 12);

    private static IEnumerable<Case> Smaller(Case one)
    {
        if (one.Noise > 0) yield return one with { Noise = 0 };
        if (one.Width > 1) yield return one with { Width = 1 };
        for (int at = 0; at < one.Sizes.Length; at++)
            if (one.Sizes[at] > 1) yield return one with { Sizes = [.. one.Sizes[..at], one.Sizes[at] / 2, .. one.Sizes[(at + 1)..]] };
    }

    private static int Check(Case one)
    {
        if (one.PerCall == 0 && one.PerStep == 0) return 0;
        var cost = new BatchCost(one.PerCall, one.PerStep, one.Width);
        var random = new Random(one.Seed);
        BatchTime[] calls =
        [
            .. one.Sizes.Select(size => new BatchTime(size, cost.SecondsOf(size) * (1 + (one.Noise * ((2 * random.NextDouble()) - 1))))),
        ];
        BatchCostFit? fit = BatchCostFit.Of(calls, one.Width);
        bool canTell = one.Sizes.Select(size => (size + one.Width - 1) / one.Width).Distinct().Count() > 1;
        if (fit is null)
        {
            // The least and the largest have as many steps only where all have.
            Assert.False(canTell, $"no fit of {one}");
            return 1;
        }

        Assert.True(fit.Cost.PerCall >= 0 && fit.Cost.PerStep >= 0 && fit.Cost.PerCall + fit.Cost.PerStep > 0);
        Assert.InRange(fit.MedianError, 0, fit.WorstError);
        Assert.Equal(calls.Length, fit.Fitted.Count + fit.Judged.Count);
        if (one.Noise == 0)
        {
            Assert.True(fit.Fits, $"{one}: {fit}");
            Assert.True(fit.WorstError < 1e-6, $"{one}: {fit}");
        }

        Shares(fit.Cost);
        return calls.Length;
    }

    // What is said of sizes follows from the two prices, whatever they are.
    private static void Shares(BatchCost cost)
    {
        double before = 0;
        for (int steps = 1; steps <= 1 << 12; steps *= 4)
        {
            double share = cost.ShareOf(steps * (double)cost.Width);
            Assert.InRange(share, before, 1);
            Assert.True(cost.AddedBy(steps) >= 0 && cost.SecondsOf(steps) >= cost.SecondsOf(1));
            before = share;
        }

        if (cost.SizeWith(0.9) is { } size) Assert.True(cost.ShareOf(size) >= 0.9 - 1e-9, $"{cost}: {size}");
        if (cost.GoodSize is { } good) Assert.True(cost.ShareOf(good) >= 0.95 - 1e-9 && good % cost.Width == 0, $"{cost}: {good}");
    }
}
