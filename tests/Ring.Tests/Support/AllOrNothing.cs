namespace Raceway.Rings.Tests;

/// <summary>A handler of longs that does all of a call or nothing, as a transaction does, in each kind of stage for batches.</summary>
internal sealed class AllOrNothing
{
    /// <summary>The kinds. "pending": its task completes after the call.</summary>
    public static TheoryData<string> Kinds => new("batch", "struct", "map", "outcome", "async", "pending", "async outcome");

    /// <summary>The items of the calls that succeeded.</summary>
    public List<long> Handled { get; } = [];

    /// <summary>Items of each call.</summary>
    public List<int> Calls { get; } = [];

    /// <summary>What its policy was told, for a policy that asks <see cref="Bury"/>.</summary>
    public List<(long Item, int Attempt)> Letters { get; } = [];

    public void Bury(ref long item, in FaultContext context) => Letters.Add((item, context.Attempt));

    /// <summary>A stage that its test steps, and items 0 to <paramref name="count"/> − 1 before it.</summary>
    /// <param name="count">How many items.</param>
    /// <param name="policy">What is done about a call that fails.</param>
    /// <param name="fails">Whether a call of these items fails.</param>
    /// <param name="dispatch">Batches without a limit, unless said otherwise.</param>
    /// <param name="kind">Of <see cref="Kinds"/>.</param>
    /// <param name="weigher">Weighs the items.</param>
    public Stage Attach(
        int count, FaultPolicy policy, Func<long[], bool> fails, Dispatch? dispatch = null, string kind = "batch",
        Weigher? weigher = null)
    {
        RingBuffer<long> ring = Make.Ring(128);
        Make.PublishRange(ring.CreateProducer(), 0, count - 1);
        StageOptions options = Make.Stepped(dispatch, policy) with { Weigher = weigher };
        void Handle(long[] items) => Take(items, fails);
        return kind switch
        {
            "batch" => ring.Subscribe(new BatchLambda<long>(batch => Handle(batch.ToArray())), options),
            "struct" => ring.Slots.SubscribeBatches<long, Struct>(new Struct(Handle), options),
            "map" => ring.Slots.Subscribe(new Map(Handle), ring.AddColumn<long>(), options),
            "outcome" => ring.Subscribe(
                new OutcomeLambda<long>(batch =>
                {
                    Handle(batch.ToArray());
                    return BatchOutcome.Done;
                }),
                options),
            "async outcome" => ring.Subscribe(
                new AsyncOutcomeLambda<long>(async batch =>
                {
                    await Task.Yield();
                    Handle(batch.ToArray());
                    return BatchOutcome.Done;
                }),
                options),
            _ => ring.Subscribe(
                new AsyncLambda<long>(async (batch, _) =>
                {
                    if (kind == "pending") await Task.Yield();
                    Handle(batch.ToArray());
                }),
                options),
        };
    }

    /// <summary>A call of these.</summary>
    public void Take(long[] items, Func<long[], bool> fails)
    {
        Calls.Add(items.Length);
        if (fails(items)) throw new FormatException();
        Handled.AddRange(items);
    }

    private readonly struct Struct(Action<long[]> handle) : IBatchHandler<long>
    {
        public void OnBatch(Batch<long> batch) => handle(batch.ToArray());
    }

    private sealed class Map(Action<long[]> handle) : IMapHandler<long, long>
    {
        public void OnBatch(Batch<long> source, Batch<long> results) => handle(source.ToArray());
    }
}
