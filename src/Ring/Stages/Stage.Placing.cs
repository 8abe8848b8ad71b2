namespace Raceway.Rings;

/// <content>On which processors the stage runs.</content>
public abstract partial class Stage
{
    private readonly int[]? _processors;
    private StagePlacement _placement = StagePlacement.NotAsked;

    /// <summary>What has become of <see cref="StageOptions.Processors"/>: settled before the stage's start hook runs.</summary>
    public StagePlacement Placement => Volatile.Read(ref _placement);

    internal override void PlaceThread()
    {
        if (_processors is not null) Volatile.Write(ref _placement, StagePlacement.Bind(_processors));
    }

    internal override void CannotPlace(string reason)
    {
        if (_processors is not null) Volatile.Write(ref _placement, StagePlacement.Unsupported(_processors, reason));
    }
}
