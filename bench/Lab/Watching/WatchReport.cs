using System.Globalization;
using Raceway.Lab.Reporting;
using Raceway.Measuring;
using Raceway.Pipelines;

namespace Raceway.Lab.Watching;

/// <summary>All that was seen, when it is over: for a reader and for a program.</summary>
internal static class WatchReport
{
    /// <summary>A table for each pipeline, its rings, and what is found.</summary>
    public static IEnumerable<ReportPart> Parts(IReadOnlyCollection<WatchedPipeline> pipelines, string? ending)
    {
        foreach (WatchedPipeline one in pipelines)
        {
            double seconds = (one.Now.At - one.First.At).TotalSeconds;
            yield return WatchTables.Stages(
                string.Create(CultureInfo.InvariantCulture, $"{one.Name}, over {seconds:0.0} s"), one.First, one.Now)[1];
            foreach (string plan in WatchTables.Plans(one.Now)) yield return new ReportText(plan);
            foreach (string ring in WatchTables.Rings(one.First, one.Now)) yield return new ReportText(ring);
            foreach (Finding finding in one.AllFindings.Findings) yield return new ReportText($"- {finding}", finding.Remedies.Count > 0);
        }

        if (ending is not null) yield return new ReportText(ending);
    }

    /// <summary>Rows: the rate and batch of each stage, and the findings with their share of the time.</summary>
    /// <remarks>What is only looked at has no result to compare with: nothing is verified.</remarks>
    public static IEnumerable<ResultRow> Rows(IReadOnlyCollection<WatchedPipeline> pipelines, string target)
    {
        foreach (WatchedPipeline one in pipelines)
        {
            ResultRow Row(string what, string metric, string unit, double value, string? note = null) => new()
            {
                Case = what,
                Contestant = target,
                Metric = metric,
                Unit = unit,
                Median = value,
                Rounds = 1,
                Note = note,
            };
            foreach (StageFigures stage in WatchTables.Figures(one.First, one.Now))
            {
                yield return Row($"{one.Name}/{stage.Name}", "throughput", "events/s", stage.Rate);
                yield return Row($"{one.Name}/{stage.Name}", "mean-batch", "events", stage.Batch);
            }

            foreach (Finding finding in one.AllFindings.Findings)
                yield return Row(one.Name, $"finding-{finding.Kind}", "share", finding.Share, finding.ToString());
        }
    }
}
