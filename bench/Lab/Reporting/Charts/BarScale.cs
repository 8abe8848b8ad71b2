namespace Raceway.Lab.Reporting;

/// <summary>Where the figures of bars lie between the start (0) and the end (1) of the room for them.</summary>
internal readonly record struct BarScale(double Least, double Most, bool IsLog)
{
    /// <summary>The scale of some bars: from 0, or by powers from a little below the least.</summary>
    public static BarScale Of(ReportBars bars)
    {
        ReportBar[] measured = [.. bars.Bars.Where(static bar => bar.Value is not null)];
        double most = measured.Max(static bar => Math.Max(bar.High, bar.Value!.Value));
        if (!bars.IsLog)
        {
            return new BarScale(0, most, IsLog: false);
        }

        double least = measured.SelectMany(static bar => new[] { bar.Low, bar.Value!.Value }).Where(static value => value > 0).Min();
        return new BarScale(least / 1.5, most * 1.1, IsLog: true);
    }

    /// <summary>The place of a figure.</summary>
    public double Of(double value) => value <= Least ? 0 : Math.Clamp(Metrics.Share(value, Least, Most, IsLog), 0, 1);
}
