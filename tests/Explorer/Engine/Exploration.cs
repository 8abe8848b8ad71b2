using System.Globalization;
using System.Runtime;

namespace Raceway.Explorer.Engine;

/// <summary>How much to explore of each body in each mode.</summary>
/// <param name="Exhaustive">Executions of the search within the preemption bound, at most.</param>
/// <param name="Randomised">Executions with random priorities.</param>
/// <param name="Seed">Of the random ones.</param>
internal sealed record Effort(int Exhaustive, int Randomised, int Seed = 1, int MorePreemptions = 0)
{
    /// <summary>Each push.</summary>
    public static Effort Push { get; } = new(1_300, 1_300);

    /// <summary>Each night, pass after pass: the search is the same with every seed, so the first pass alone has it.</summary>
    public static Effort Long(int seed) => seed == FirstSeed ? new(3_000, 3_000, seed, 1) : new(0, 6_000, seed, 1);

    private const int FirstSeed = 1;

    /// <summary>
    /// As the environment says: RACEWAY_LONG=1 for the long set, RACEWAY_SEED for another seed, RACEWAY_EXECUTIONS for so
    /// many of each kind (coverage needs few).
    /// </summary>
    public static Effort FromEnvironment()
    {
        int seed = Number("RACEWAY_SEED") ?? FirstSeed;
        if (Number("RACEWAY_EXECUTIONS") is { } executions) return new Effort(executions, executions, seed);
        return Tally.IsLong ? Long(seed) : Push with { Seed = seed };
    }

    private static int? Number(string variable) =>
        int.TryParse(System.Environment.GetEnvironmentVariable(variable), CultureInfo.InvariantCulture, out int number) ? number : null;
}

/// <summary>What exploring a body has come to.</summary>
internal sealed record Explored(Body Body, MemoryMode Mode, long Executions, long Steps, int BoundDone, string? Failure)
{
    public override string ToString() => string.Create(
        CultureInfo.InvariantCulture,
        $"{Body.Name,-44} {Mode,-15} {Executions,8:N0} executions  {Steps / Math.Max(1, Executions),5:N0} steps each  {(Failure is null ? Bound : $"FAILED\n{Failure}")}");

    private string Bound => BoundDone < 0 ? "sampled" : $"all with {BoundDone} preemptions";
}

/// <summary>Explores bodies: everything within a bound of preemptions, then at random.</summary>
internal sealed class Exploration(Model model)
{
    // Room for executions between two collections. Little, as it stays in the processor's caches: memory that was given back to the
    // system costs a page fault for each 4 KiB, three times as much as the executions themselves. One that needs more is given more.
    private const long LeastRoom = 8L << 20;
    private const long MostRoom = 192L << 20;
    private const int MostRepeats = 10;

    private const int Changes = 3;
    private const int SearchedReorders = 1;
    private const int RandomReorders = 4;

    private long _room = LeastRoom;
    private long _bytesAtStart;
    private bool _guarded;

    public Explored Explore(Body body, MemoryMode mode, Effort effort)
    {
        effort = effort with { Exhaustive = effort.Exhaustive * body.Weight, Randomised = effort.Randomised * body.Weight };
        long executions = 0;
        long steps = 0;
        int boundDone = -1;
        int longest = 0;
        model.Mode = mode;
        _room = LeastRoom;
        for (int bound = 0; bound <= body.Preemptions + effort.MorePreemptions && executions < effort.Exhaustive; bound++)
        {
            (model.PreemptionBound, model.ReorderBound) = (bound, SearchedReorders);
            var search = new DepthFirst();
            bool more = true;
            while (more && executions < effort.Exhaustive)
            {
                if (RunOnce(body, search) is { } failure) return Failed(body, search, executions, steps, boundDone, failure);
                executions++;
                steps += model.Steps;
                longest = Math.Max(longest, search.Taken.Count);
                more = search.Next();
            }

            if (!more) boundDone = bound;
        }

        // One thread, one execution: nothing is left to be drawn.
        if (longest == 0) return new Explored(body, mode, executions, steps, boundDone, null);
        (model.PreemptionBound, model.ReorderBound) = (int.MaxValue, RandomReorders);
        var random = new Randomised(Seed(body, mode, effort.Seed), Changes, longest);
        for (int i = 0; i < effort.Randomised; i++)
        {
            random.Next();
            if (RunOnce(body, random) is { } failure) return Failed(body, random, executions, steps, boundDone, failure);
            executions++;
            steps += model.Steps;
        }

        return new Explored(body, mode, executions, steps, boundDone, null);
    }

    /// <summary>Runs one execution again, and prints all of it.</summary>
    public string Replay(Body body, MemoryMode mode, Dictionary<int, int> choices, int preemptions)
    {
        model.Mode = mode;
        (model.PreemptionBound, model.ReorderBound) = (preemptions, preemptions == int.MaxValue ? RandomReorders : SearchedReorders);
        model.Trace = new Trace();
        string? failure = RunOnce(body, new Replay(choices));
        string trace = model.Trace.Print();
        model.Trace = null;
        return $"{trace}{failure ?? "Nothing is wrong with this execution."}";
    }

    private Explored Failed(Body body, Choices choices, long executions, long steps, int boundDone, string failure)
    {
        string taken = Choices.Print(choices.Taken);
        int bound = model.PreemptionBound;
        string trace = Replay(body, model.Mode, Choices.Parse(taken), bound);
        const string Command = "dotnet run -c Release --project tests/Explorer -- replay";
        return new Explored(
            body, model.Mode, executions + 1, steps + model.Steps, boundDone,
            $"{failure}\n{trace}\nreplay: {Command} {body.Name} {model.Mode} {bound} {taken}");
    }

    // An execution in which something was collected is run again: what the model knows by address may have moved.
    private string? RunOnce(Body body, Choices choices)
    {
        for (int repeats = 0; ; repeats++)
        {
            Guard();
            int collections = System.GC.CollectionCount(0);
            string? failure = model.Run(choices, () =>
            {
                var world = new World(model);
                body.Build(world);
                return world.Judgement;
            });
            if (System.GC.CollectionCount(0) == collections) return failure;
            if (repeats == MostRepeats) return $"An execution was disturbed by a collection {repeats} times, with {_room >> 20} MiB of room at last.";
            if (model.Trace is not null) model.Trace = new Trace();
            _guarded = false;
            // Once may be pinned memory, which has little room of its own: it is collected now. Twice in a row is the execution.
            if (repeats > 0) _room = Math.Min(2 * _room, MostRoom);
            Repeat(choices);
        }
    }

    private static void Repeat(Choices choices)
    {
        if (choices is DepthFirst search) search.Again();
        else if (choices is Randomised random) random.Again();
        else choices.Next();
    }

    private void Guard()
    {
        if (_guarded && GCSettings.LatencyMode == GCLatencyMode.NoGCRegion && System.GC.GetTotalAllocatedBytes() - _bytesAtStart < _room / 2) return;
        if (GCSettings.LatencyMode == GCLatencyMode.NoGCRegion) System.GC.EndNoGCRegion();
        System.GC.Collect();
        _guarded = System.GC.TryStartNoGCRegion(_room);
        _bytesAtStart = System.GC.GetTotalAllocatedBytes();
    }

    private static int Seed(Body body, MemoryMode mode, int seed)
    {
        int hash = seed;
        foreach (char letter in body.Name) hash = unchecked(hash * 31 + letter);
        return unchecked(hash * 31 + (int)mode);
    }
}
