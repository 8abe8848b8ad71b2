using Raceway.Measuring;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Lab.Watching;

/// <summary>What has been seen of a pipeline so far.</summary>
internal sealed class WatchedPipeline(string name, PipelineSnapshot first)
{
    // Over one interval findings would come and go.
    private const int Window = 5;

    // Of all that was seen as many as show how calls vary; each second one is let go when there are more.
    private const int MostKept = 64;

    private readonly Queue<PipelineSnapshot> _window = new([first]);
    private readonly List<PipelineSnapshot> _kept = [first];
    private readonly StageTimelines _timelines = Begun(first);

    /// <summary>The name it is tagged with.</summary>
    public string Name => name;

    /// <summary>The first that was seen of it, or of a later one of that name.</summary>
    public PipelineSnapshot First { get; private set; } = first;

    /// <summary>The snapshot before the last.</summary>
    public PipelineSnapshot Before { get; private set; } = first;

    /// <summary>The last.</summary>
    public PipelineSnapshot Now { get; private set; } = first;

    /// <summary>What is found in the last intervals.</summary>
    public Diagnosis Findings => Across([.. _window]);

    /// <summary>What is found in all that was seen.</summary>
    public Diagnosis AllFindings => Across(_kept);

    /// <summary>Takes the next snapshot.</summary>
    public void Add(PipelineSnapshot now)
    {
        // Another one of that name has begun: figures that went back are not compared.
        if (now.Stages.Any(stage => stage.Done.Items < ItemsOf(Now, stage.Done.Name)))
        {
            _window.Clear();
            _kept.Clear();
            First = now;
        }

        Before = ReferenceEquals(First, now) ? now : Now;
        Now = now;
        _window.Enqueue(now);
        while (_window.Count > Window) _window.Dequeue();
        _kept.Add(now);
        for (int at = MostKept - 1; _kept.Count > MostKept && at > 0; at -= 2) _kept.RemoveAt(at);
        _timelines.Add(now.At, Done(now));
    }

    /// <summary>Where its stages' time went.</summary>
    public IReadOnlyList<ResultTimeline> Timelines(string target) => _timelines.ToResult(name, target);

    private static Diagnosis Across(List<PipelineSnapshot> seen) =>
        seen.Count < 2 ? Diagnosis.Between(seen[0], seen[0]) : Diagnosis.Across(seen);

    private static long ItemsOf(PipelineSnapshot snapshot, string stage) =>
        snapshot.Stages.FirstOrDefault(one => one.Done.Name == stage)?.Done.Items ?? 0;

    private static IEnumerable<StageStatistics> Done(PipelineSnapshot snapshot) => snapshot.Stages.Select(static stage => stage.Done);

    private static StageTimelines Begun(PipelineSnapshot first)
    {
        var timelines = new StageTimelines();
        timelines.Add(first.At, Done(first));
        return timelines;
    }
}
