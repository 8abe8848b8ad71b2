using Raceway.Measuring;

namespace Raceway.Suites.RingSuite;

/// <summary>A peer with its settings, for items of one type: with the shape and the load of a case it makes a contestant.</summary>
/// <param name="Name">The name in the result rows.</param>
/// <param name="Open">Builds its queues for a round; <see langword="null"/> if this build does not have the peer.</param>
internal sealed record Peer<TSlot>(string Name, Func<RingLoad, RoundThreads, Transport<TSlot>>? Open)
    where TSlot : struct, ISlot<TSlot>
{
    /// <summary>What a reader of its rows must know of it.</summary>
    public string? Note { get; init; }

    /// <summary>The settings that a case varies.</summary>
    public IReadOnlyDictionary<string, string>? Knobs { get; init; }

    /// <summary>Threads at work at the same time.</summary>
    public Func<RingShape, int> Threads { get; init; } = static shape => shape.BusyThreads;

    /// <summary>What its rows show of a round at full speed beside the usual figures.</summary>
    public Func<Sample, IReadOnlyList<Count>>? Further { get; init; }

    /// <summary>The most items of a round at full speed.</summary>
    public long MostItems { get; init; } = long.MaxValue;

    /// <summary>The contestant that is given items as fast as it takes them.</summary>
    public IContestant AtFullSpeed(RingShape shape) =>
        Open is null ? new AbsentContestant(Name) : new FullSpeedContestant<TSlot>(this, Open, shape) { Note = Note, Knobs = Knobs };
}

/// <summary>The contestants of the cases in which items are due at given times.</summary>
internal static class PacedPeers
{
    /// <summary>The contestant that is given items as they are due.</summary>
    public static IContestant At(this Peer<Number> peer, Arrivals arrivals, RingShape shape) => peer.Open is null
        ? new AbsentContestant(peer.Name)
        : new LatencyContestant(peer, peer.Open, shape, arrivals) { Knobs = peer.Knobs };

    /// <summary>The contestant that is given half as many items as it can take.</summary>
    public static IContestant AtHalfSpeed(this Peer<Number> peer, RingShape shape) =>
        peer.Open is null ? new AbsentContestant(peer.Name) : new HalfSpeedContestant(arrivals => peer.At(arrivals, shape));
}

/// <summary>
/// The queues of a peer in one round. It says how items are published, and how they reach a stage. Which items there are, when
/// they come, and what a stage does with them is the case's, and the same for every peer.
/// </summary>
/// <remarks>
/// The constructor builds the queues. Then come the producers, the stages, each after those it follows, and
/// <see cref="Start"/>. What the peer must clean up it gives to <see cref="RoundThreads.OnEnd"/>.
/// <para>The loop of a ring's producer stands in a method that is not inlined, and so does the one that fills a group. The caller's method
/// has too few registers for its own variables and the loop's. The compiler then keeps some of them on the stack and stores them with
/// each item, and the number of stores is what bounds such a loop (decision 0031).</para>
/// </remarks>
/// <typeparam name="TSlot">How an item lies in memory.</typeparam>
/// <param name="load">The round.</param>
/// <param name="threads">Where the roles are added.</param>
internal abstract class Transport<TSlot>(RingLoad load, RoundThreads threads)
    where TSlot : struct, ISlot<TSlot>
{
    /// <summary>The round.</summary>
    protected RingLoad Load => load;

    /// <summary>Producers, stages and their work.</summary>
    protected RingShape Shape => load.Shape;

    /// <summary>Where the roles are added.</summary>
    protected RoundThreads Threads => threads;

    /// <summary>Adds a producer that publishes its items as fast as they are taken.</summary>
    public virtual void AddProducer(int producer) => throw new NotSupportedException($"{GetType().Name} has no case at full speed.");

    /// <summary>Adds the producer of a case in which items are due at given times.</summary>
    public virtual void AddSender(LatencyRound round) => throw new NotSupportedException($"{GetType().Name} has no case of latency.");

    /// <summary>Adds a stage.</summary>
    /// <param name="stage">Its number, from 1.</param>
    /// <param name="work">What it does with each item. After the last item it must <see cref="IStageWork{TSlot}.Report">report</see>.</param>
    public abstract void AddStage<TWork>(int stage, TWork work)
        where TWork : struct, IStageWork<TSlot>;

    /// <summary>Adds all stages of a chain.</summary>
    /// <param name="last">What the last one does; the others add to the item.</param>
    public void AddChain<TLast>(TLast last)
        where TLast : struct, IStageWork<TSlot>
    {
        for (int stage = 1; stage < Shape.Stages; stage++) AddStage(stage, new Adding<TSlot>(load));
        AddStage(Shape.Stages, last);
    }

    /// <summary>Adds all stages of the shape, with the work that the round is for: checks of each item, or sums.</summary>
    public void AddStages()
    {
        for (int stage = 1; stage <= Shape.Stages; stage++)
        {
            switch (Shape.RoleOf(stage))
            {
                case StageRole.Add:
                    AddStage(stage, new Adding<TSlot>(load));
                    break;
                case StageRole.AddAndCheck when load.ChecksOrder:
                    AddStage(stage, new AddingAndChecking<TSlot>(load, stage));
                    break;
                case StageRole.AddAndCheck:
                    AddStage(stage, new AddingAndSumming<TSlot>(load));
                    break;
                case StageRole.Check when load.ChecksOrder:
                    AddStage(stage, new Checking<TSlot>(load, stage));
                    break;
                default:
                    AddStage(stage, default(Summing<TSlot>));
                    break;
            }
        }
    }

    /// <summary>Starts what does not run on the round's own threads.</summary>
    public virtual void Start()
    {
    }
}
