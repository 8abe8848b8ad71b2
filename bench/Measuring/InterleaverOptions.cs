namespace Raceway.Measuring;

/// <summary>How <see cref="Interleaver"/> measures.</summary>
public sealed record InterleaverOptions
{
    /// <summary>Rounds of every contestant. Six is the least with a 95 % interval.</summary>
    public int Rounds { get; init; } = 9;

    /// <summary>
    /// Runs that a round of one contestant is shared among; the contestants take turns run by run. What slows the machine for a
    /// while slows all of them alike, and what a start brings by luck, such as where its threads come to lie, is averaged.
    /// </summary>
    public int RunsOfRound { get; init; } = 1;

    /// <summary>About how long a round of one contestant lasts; the operations are counted out for it.</summary>
    public TimeSpan RoundTime { get; init; } = TimeSpan.FromMilliseconds(150);

    /// <summary>Operations of a round, where they are given instead of calibrated.</summary>
    public long? Operations { get; init; }

    /// <summary>
    /// Operations of the first short run; more follow until a run takes a millisecond. Fewer where each takes its time.
    /// </summary>
    public long FirstOperations { get; init; } = 1_000;

    /// <summary>
    /// Short runs of a series before anything is timed; series follow until the runtime compiles nothing more (see
    /// <see cref="WarmUp"/>). The compiler replaces a method after 30 calls; one long run would leave it at half speed.
    /// None where nothing is to be warmed up.
    /// </summary>
    public int WarmUpRuns { get; init; } = 35;

    /// <summary>The most that a series of short runs takes for one contestant.</summary>
    public TimeSpan WarmUpLimit { get; init; } = TimeSpan.FromMilliseconds(400);

    /// <summary>Behind each series: longer than the runtime waits for new methods before it compiles the hot ones anew. In the tool
    /// that is 100 ms at the most (see <see cref="WarmUp"/>).</summary>
    public TimeSpan TieringPause { get; init; } = TimeSpan.FromMilliseconds(150);

    /// <summary>
    /// The most time that it takes, warming up and calibration included; see <see cref="Interleaver.Run"/>. What is missing then is
    /// noted. Without it only the caller's budget counts.
    /// </summary>
    public TimeSpan? Budget { get; init; }

    /// <summary>
    /// A contestant that takes longer than this for one run is given shorter rounds, with a note, and dropped when it
    /// happens again.
    /// </summary>
    public TimeSpan RunLimit { get; init; } = TimeSpan.FromSeconds(20);

    /// <summary>After so many rounds only some go on. Without it all do, to the end.</summary>
    public Heat? Heat { get; init; }

    /// <summary>Measure the line round trip between the runs.</summary>
    public bool ProbeLine { get; init; } = true;

    /// <summary>Collect what a neighbour left behind before the clock runs. Set it to false where a run does so itself.</summary>
    public bool Collect { get; init; } = true;

    /// <summary>A few short rounds: enough to see that everything works, not to claim anything.</summary>
    public static InterleaverOptions Quick { get; } = new()
    {
        Rounds = 3,
        RoundTime = TimeSpan.FromMilliseconds(30),
        WarmUpLimit = TimeSpan.FromMilliseconds(40),
        Budget = TimeSpan.FromSeconds(6),
    };
}
