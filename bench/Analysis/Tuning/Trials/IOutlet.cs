namespace Raceway.Analysis.Tuning;

/// <summary>Where the items of a trial go. A struct, so that the loops call it directly.</summary>
internal interface IOutlet
{
    /// <summary>Items that are through.</summary>
    long Passed { get; }

    /// <summary>Publishes items from <paramref name="first"/> on, as many as there is room for now, none included.</summary>
    int TryPublish(long first, int count);
}
