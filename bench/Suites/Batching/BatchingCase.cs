using Raceway.Measuring;

namespace Raceway.Suites.Batching;

/// <summary>A kind of real work, and what of it is measured.</summary>
/// <param name="Name">The name of its cases: at full speed; with <c>at half speed</c> or <c>at a fixed rate</c> behind it where jobs come at a rate.</param>
/// <param name="Description">What one job is, and what a batch saves.</param>
/// <param name="Rate">
/// Jobs a second of the case at a fixed rate: more than one by one can be done, if a call costs much. None if latency says nothing,
/// because calls return before their jobs are done: then it is measured at full speed only.
/// </param>
/// <param name="Create">Makes the work of a contestant, which is named.</param>
internal sealed record BatchingCase(string Name, string Description, double? Rate, Func<string, IBatchWork> Create)
{
    /// <summary>The batch sizes of its curve.</summary>
    public IReadOnlyList<int> Sizes { get; init; } = [1, 4, 16, 64, 256, 1_024];

    /// <summary>How many jobs the work does for the price of one, such as the lanes of its vectors; 1 where it has no such step.</summary>
    public int Width { get; init; } = 1;

    /// <summary>How long jobs keep coming in a round at a rate, at the least.</summary>
    public TimeSpan LeastRound { get; init; } = TimeSpan.FromMilliseconds(100);

    /// <summary>Whether it is part of a quick run.</summary>
    public bool InQuick { get; init; } = true;

    /// <summary>Why it cannot run here, where it needs what this machine does not have.</summary>
    public Func<string?> Missing { get; init; } = static () => null;

    /// <summary>Threads that work besides the publisher's and the stage's, such as a server's.</summary>
    public int Servants { get; init; }

    /// <summary>Further contestants at full speed, which do the same in a way of their own.</summary>
    public IReadOnlyList<(string Name, Func<IContestant> Make)> Beside { get; init; } = [];
}

/// <summary>How jobs come.</summary>
internal enum Arrival
{
    /// <summary>As fast as they are taken.</summary>
    AtOnce,

    /// <summary>At half of what the contestant can do itself.</summary>
    HalfSpeed,

    /// <summary>At the case's rate, the same for each.</summary>
    FixedRate,
}
