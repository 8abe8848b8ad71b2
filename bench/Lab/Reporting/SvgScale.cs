namespace Raceway.Lab.Reporting;

/// <summary>An axis: where a value lies on it, and where its marks stand.</summary>
/// <param name="From">Its lower end.</param>
/// <param name="To">Its upper end.</param>
/// <param name="IsLogarithmic">Whether equal distances are equal factors.</param>
internal sealed record SvgScale(double From, double To, bool IsLogarithmic)
{
    // From this factor between the smallest and the largest value on, the small ones would lie on the axis.
    private const double ManyTimes = 40;
    private const int FewestTicks = 4;

    /// <summary>The marks.</summary>
    public IReadOnlyList<double> Ticks => IsLogarithmic
        ? [.. Decades().Where(tick => tick >= From && tick <= To)]
        : [.. Enumerable.Range(0, (int)Math.Round(To / Step) + 1).Select(at => at * Step)];

    private double Step => StepFor(To);

    /// <summary>The axis that holds some values; an empty one where there is none that can be drawn.</summary>
    /// <param name="values">The values.</param>
    /// <param name="logarithmic">Whether it may be logarithmic.</param>
    public static SvgScale Of(IReadOnlyCollection<double> values, bool logarithmic = true)
    {
        double[] drawn = [.. values.Where(static value => double.IsFinite(value) && value >= 0)];
        double most = drawn.DefaultIfEmpty(1).Max(), least = drawn.DefaultIfEmpty(1).Min();
        if (logarithmic && least > 0 && most / least >= ManyTimes)
            return new SvgScale(Math.Pow(10, Math.Floor(Math.Log10(least))), Math.Pow(10, Math.Ceiling(Math.Log10(most))), true);
        double step = StepFor(most > 0 ? most : 1);
        return new SvgScale(0, Math.Max(step, Math.Ceiling(most / step) * step), false);
    }

    /// <summary>Where a value lies: 0 at the lower end, 1 at the upper one.</summary>
    public double PartOf(double value)
    {
        double part = IsLogarithmic
            ? (Math.Log10(Math.Max(value, double.Epsilon)) - Math.Log10(From)) / (Math.Log10(To) - Math.Log10(From))
            : (value - From) / (To - From);
        return double.IsFinite(part) ? Math.Clamp(part, 0, 1) : 0;
    }

    // 1, 2 or 5 times a power of ten, so that there are four marks or a few more.
    private static double StepFor(double most)
    {
        double power = Math.Pow(10, Math.Floor(Math.Log10(most / FewestTicks)));
        return new[] { 5.0, 2, 1 }.Select(factor => factor * power).First(step => most / step >= FewestTicks - 1e-9);
    }

    private IEnumerable<double> Decades()
    {
        for (double tick = From; tick <= To * 1.0001; tick *= 10) yield return tick;
    }
}
