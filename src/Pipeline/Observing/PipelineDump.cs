using System.Globalization;
using System.Text;
using Raceway.Rings;

namespace Raceway.Pipelines;

/// <summary>Writes a pipeline as text.</summary>
internal static class PipelineDump
{
    private static readonly string[] s_columns =
    [
        "stage", "after", "dispatch", "at", "lag", "items", "batches", "mean",
        "drained", "full", "age", "stop", "weight", "cut", "split", "parts", "waits", "parks", "faults", "skipped", "dropped",
    ];

    private static readonly string[] s_rare = ["weight", "cut", "split", "parts", "dropped"];

    public static string Of<T>(Pipeline<T> pipeline)
    {
        var text = new StringBuilder();
        text.Append(
            CultureInfo.InvariantCulture,
            $"{pipeline.Plan}, {pipeline.State}: capacity {string.Join('+', pipeline.Rings.Select(ring => ring.Capacity))}, ");
        text.Append(CultureInfo.InvariantCulture, $"backlog {pipeline.Backlog}\n");
        if (pipeline.PlanReason != PlanChoice.Asked)
            text.Append(CultureInfo.InvariantCulture, $"plan: {pipeline.PlanReason}\n");
        if (pipeline.Unprocessed > 0)
            text.Append(CultureInfo.InvariantCulture, $"unprocessed when it ended: {pipeline.Unprocessed}\n");
        if (pipeline.Completion.Exception?.InnerException is { } fault)
            text.Append(CultureInfo.InvariantCulture, $"fault: {fault.Message}\n");

        List<(Stage Stage, StageStatistics Done)> stages =
            [.. pipeline.Stages.Select(stage => (stage, stage.GetStatistics()))];
        AppendTable(text, [s_columns, .. stages.Select(stage => Row(stage.Stage, stage.Done))]);
        text.Append("batch sizes\n");
        foreach ((_, StageStatistics done) in stages)
            text.Append(CultureInfo.InvariantCulture, $"  {done.Name}: {Sizes(done)}\n");
        AppendTimes(text, pipeline, [.. stages.Select(stage => stage.Done)]);
        AppendPlacements(text, [.. pipeline.Stages.Where(stage => stage.Placement.Status != PlacementStatus.NotAsked)]);
        return text.ToString();
    }

    // Where nothing drives the stages there are none.
    private static void AppendTimes<T>(StringBuilder text, Pipeline<T> pipeline, IReadOnlyList<StageStatistics> stages)
    {
        if (stages.All(static done => Total(done) == TimeSpan.Zero)) return;
        text.Append("times\n");
        foreach (StageStatistics done in stages)
        {
            TimeSpan total = Total(done);
            text.Append(
                CultureInfo.InvariantCulture,
                $"  {done.Name}: working {Share(done.Working)}, starved {Share(done.Starved)}, blocked {Share(done.Blocked)}, waking {Share(done.Waking)} of {total.TotalSeconds:0.###} s\n");
            string Share(TimeSpan part) => (total == TimeSpan.Zero ? 0 : part / total).ToString("0.0 %", CultureInfo.InvariantCulture);
        }

        foreach (RingStatistics done in pipeline.Rings.Select(static ring => ring.GetStatistics()).Where(static done => done.Waits > 0))
            text.Append(CultureInfo.InvariantCulture, $"  producers: blocked {done.Blocked.TotalSeconds:0.###} s in {done.Waits} waits for room\n");
        IReadOnlyList<Finding> findings = pipeline.Diagnose().Findings;
        if (findings.Count > 0) text.Append("findings, since the start\n");
        foreach (Finding finding in findings) text.Append(CultureInfo.InvariantCulture, $"  {finding}\n");
    }

    private static TimeSpan Total(StageStatistics done) => done.Working + done.Starved + done.Blocked + done.Waking;

    // Few pipelines ask for processors: a column would be empty in all others.
    private static void AppendPlacements(StringBuilder text, IReadOnlyList<Stage> placed)
    {
        if (placed.Count == 0) return;
        text.Append("processors\n");
        foreach (Stage stage in placed)
            text.Append(CultureInfo.InvariantCulture, $"  {stage.Name}: {stage.Placement}\n");
    }

    private static string[] Row(Stage stage, StageStatistics done)
    {
        string after = stage.Upstream.Count == 0 ? "producers" : string.Join('+', stage.Upstream.Select(up => up.Name));
        return
        [
            stage.Name, after, stage.Dispatch.ToString(), Text(stage.Position), Text(done.Lag), Text(done.Items),
            Text(done.Batches), done.MeanBatch.ToString("0.#", CultureInfo.InvariantCulture),
            .. done.CloseReasons.Select(Text), Text(done.Split), Text(done.Parts), Text(done.Waits), Text(done.Parks), Text(done.Faults), Text(done.Skipped),
            Text(done.Dropped),
        ];
    }

    private static string Sizes(StageStatistics done)
    {
        IEnumerable<string> classes = done.BatchSizes
            .Select((count, n) => (Count: count, Low: 1L << n))
            .Where(size => size.Count > 0)
            .Select(size => $"{(size.Low == 1 ? "1" : $"{size.Low}-{size.Low * 2 - 1}")} ×{Text(size.Count)}");
        string text = string.Join(", ", classes);
        return text.Length == 0 ? "none yet" : text;
    }

    private static void AppendTable(StringBuilder text, IReadOnlyList<string[]> all)
    {
        // What few pipelines have is shown where there is any of it.
        int[] shown = [.. Enumerable.Range(0, s_columns.Length)
            .Where(i => !s_rare.Contains(s_columns[i]) || all.Skip(1).Any(row => row[i] != "0"))];
        string[][] rows = [.. all.Select(row => shown.Select(i => row[i]).ToArray())];
        int[] widths = [.. Enumerable.Range(0, shown.Length).Select(i => rows.Max(row => row[i].Length))];
        foreach (string[] row in rows)
        {
            // Names to the left, figures to the right.
            IEnumerable<string> cells = row.Select((cell, i) => i < 3 ? cell.PadRight(widths[i]) : cell.PadLeft(widths[i]));
            text.Append("  ").Append(string.Join("  ", cells).TrimEnd()).Append('\n');
        }
    }

    private static string Text(long value) => value.ToString(CultureInfo.InvariantCulture);
}
