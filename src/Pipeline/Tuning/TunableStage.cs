using Raceway.Rings;

namespace Raceway.Pipelines;

/// <summary>What a controller needs of a stage.</summary>
internal interface ITunable
{
    string Name { get; }

    /// <summary>The clock of its limits.</summary>
    TimeProvider Time { get; }

    bool HasEnded { get; }

    /// <summary>Whether it hands over more than one item at a time, if it may.</summary>
    bool HasBatches { get; }

    /// <summary>The most items of a batch.</summary>
    int Limit { get; set; }

    /// <summary>Below this the limit cannot be.</summary>
    int LeastLimit { get; }

    StageStatistics GetStatistics();
}

internal sealed class TunableStage : ITunable
{
    private readonly Stage _stage;

    public TunableStage(Stage stage)
    {
        if (stage.Options.Drive == Drive.Caller)
        {
            throw new ArgumentException(
                $"A controller needs the times of a stage that a thread or the pool drives: stage='{stage.Name}' is stepped by its "
                + "caller. Choose the quantum of Step instead.",
                nameof(stage));
        }

        if (!stage.Dispatch.HasLimits)
        {
            throw new ArgumentException(
                $"A controller needs batches to adjust: stage='{stage.Name}', dispatch=single. Use Dispatch.Each or Dispatch.Batch.",
                nameof(stage));
        }

        _stage = stage;
    }

    public string Name => _stage.Name;

    public TimeProvider Time => _stage.Owner.Options.Time;

    public bool HasEnded => _stage.IsLeaving || _stage.Owner.State is RingState.Stopped or RingState.Faulted;

    public bool HasBatches => _stage.Dispatch.HasLimits;

    public int Limit
    {
        get => _stage.MostOf(_stage.Dispatch);
        set => _stage.Dispatch = _stage.Dispatch.WithMax(value);
    }

    public int LeastLimit => _stage.Dispatch.Min;

    public StageStatistics GetStatistics() => _stage.GetStatistics();
}
