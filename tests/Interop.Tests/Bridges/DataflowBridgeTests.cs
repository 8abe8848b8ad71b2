using System.Threading.Channels;
using System.Threading.Tasks.Dataflow;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Interop.Tests.Bridges;

/// <summary>The protocol of blocks, message by message.</summary>
public sealed class DataflowBridgeTests
{
    [Fact]
    public async Task Offer_ByItsForms_IsAnsweredAsTheProtocolSays()
    {
        await using Pipeline<long> pipeline = Held(2, out Action release, out _);
        ITargetBlock<long> target = pipeline.AsTargetBlock();
        var source = new Offers();

        Assert.Throws<ArgumentException>(() => target.OfferMessage(default, 1, null, false));
        Assert.Throws<ArgumentException>(() => target.OfferMessage(new DataflowMessageHeader(1), 1, null, true));
        Assert.Equal(DataflowMessageStatus.Accepted, target.OfferMessage(new DataflowMessageHeader(1), 1, null, false));
        // Somebody else has it by now.
        Assert.Equal(DataflowMessageStatus.NotAvailable, target.OfferMessage(new DataflowMessageHeader(7), 0, source, true));
        source.Has[8] = 2;
        Assert.Equal(DataflowMessageStatus.Accepted, target.OfferMessage(new DataflowMessageHeader(8), 0, source, true));
        Assert.Equal([7, 8], source.Consumed);

        // Full: no source, no second chance.
        Assert.False(target.Post(3));
        source.Has[9] = 4;
        Assert.Equal(DataflowMessageStatus.Postponed, target.OfferMessage(new DataflowMessageHeader(9), 0, source, false));
        release();
        await source.Taken.Task.OrHang();
        target.Complete();
        await target.Completion.OrHang();
        Assert.Equal(DataflowMessageStatus.DecliningPermanently, target.OfferMessage(new DataflowMessageHeader(10), 5, null, false));
        Assert.Equal(2, pipeline["held"].Position);
    }

    [Fact]
    public async Task Complete_MessagesPostponed_AreOfferedAgainAndDeclinedForGood()
    {
        await using Pipeline<long> pipeline = Held(2, out Action release, out _);
        ITargetBlock<long> target = pipeline.AsTargetBlock();
        var source = new Offers();
        for (int id = 1; id <= 2; id++) Assert.True(target.Post(id));
        source.Has[3] = 3;
        Assert.Equal(DataflowMessageStatus.Postponed, target.OfferMessage(new DataflowMessageHeader(3), 3, source, false));
        target.Complete();
        release();
        await target.Completion.OrHang();

        await source.Released.Task.OrHang();
        Assert.Empty(source.Consumed);
        Assert.Equal(3, source.Has[3]);
        Assert.Equal(1, pipeline["held"].Position);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Consume_PipelineIsCompletedMeanwhile_MessageIsHandled(bool postponed)
    {
        await using Pipeline<long> pipeline = Held(2, out Action release, out _);
        ITargetBlock<long> target = pipeline.AsTargetBlock();
        var source = new Offers { Consuming = pipeline.Complete };
        source.Has[9] = 3;
        if (postponed)
            for (int id = 1; id <= 2; id++) Assert.True(target.Post(id));
        DataflowMessageStatus answer = target.OfferMessage(new DataflowMessageHeader(9), 0, source, consumeToAccept: true);
        Assert.Equal(postponed ? DataflowMessageStatus.Postponed : DataflowMessageStatus.Accepted, answer);
        release();
        await source.Taken.Task.OrHang();
        Assert.True((await pipeline.DrainAsync(Timeout.InfiniteTimeSpan).OrHang()).IsDrained);
        Assert.Equal((postponed ? 2 : 0, 0), (pipeline["held"].Position, pipeline.Unprocessed));
    }

    [Fact]
    public async Task Consume_PipelineIsHaltedMeanwhile_IsTold()
    {
        await using Pipeline<long> pipeline = Held(2, out Action release, out _);
        ITargetBlock<long> target = pipeline.AsTargetBlock();
        release();
        var source = new Offers { Consuming = () => pipeline.HaltAsync().OrHang().GetAwaiter().GetResult() };
        source.Has[8] = 1;
        var refused = Assert.Throws<ChannelClosedException>(
            () => target.OfferMessage(new DataflowMessageHeader(8), 0, source, consumeToAccept: true));
        Assert.IsType<RingStoppedException>(refused.InnerException);
        DataflowMessageStatus next = target.OfferMessage(new DataflowMessageHeader(9), 1, source, consumeToAccept: false);
        Assert.Equal(DataflowMessageStatus.DecliningPermanently, next);
    }

    [Fact]
    public async Task Consume_SourceOffersAndCompletesFromWithin_ComesBehindIt()
    {
        var seen = new List<long>();
        await using Pipeline<long> pipeline = Pipeline.Of<long>(16).Stage("seen", (ref long item) => seen.Add(item)).Run();
        ITargetBlock<long> target = pipeline.AsTargetBlock();
        var source = new Offers();
        (source.Has[8], source.Has[9]) = (1, 2);
        source.Consuming = () =>
        {
            source.Consuming = target.Complete;
            Assert.Equal(DataflowMessageStatus.Postponed, target.OfferMessage(new DataflowMessageHeader(9), 2, source, false));
        };
        DataflowMessageStatus answer = target.OfferMessage(new DataflowMessageHeader(8), 1, source, consumeToAccept: true);
        Assert.Equal(DataflowMessageStatus.Accepted, answer);
        await target.Completion.OrHang();
        Assert.Equal([1, 2], seen);
    }

    [Fact]
    public async Task LinkTo_SeveralSources_EachKeepsItsOrderAndNothingIsLost()
    {
        const int Each = 20_000;
        var seen = new List<long>();
        await using Pipeline<long> pipeline = Pipeline.Of<long>(16).Stage("seen", (ref long item) => seen.Add(item)).Run();
        ITargetBlock<long> target = pipeline.AsTargetBlock();
        BufferBlock<long>[] sources = [new(), new(), new()];
        foreach (BufferBlock<long> source in sources) source.LinkTo(target);
        Task[] posting = [.. sources.Select((source, index) => Task.Run(() =>
        {
            for (int i = 0; i < Each; i++) source.Post(index * Each + i);
            source.Complete();
        }))];
        await Task.WhenAll([.. posting, .. sources.Select(source => source.Completion)]).OrHang();
        target.Complete();
        await target.Completion.OrHang();

        Assert.Equal(sources.Length * Each, seen.Count);
        Assert.All(Enumerable.Range(0, sources.Length), index =>
            Assert.Equal(Enumerable.Range(index * Each, Each).Select(i => (long)i), seen.Where(item => item / Each == index)));
    }

    [Fact]
    public async Task LinkTo_FromThePipeline_PassesOnAsBlocksDo()
    {
        await using Pipeline<long> pipeline = Pipeline.Of<long>(64).Stage("none", static (ref long _) => { }).Build();
        IReceivableSourceBlock<long> source = pipeline.AsSourceBlock();
        await pipeline.StartAsync();
        List<long>[] got = [[], [], []];
        var small = new ExecutionDataflowBlockOptions { BoundedCapacity = 4 };
        ActionBlock<long>[] targets = [.. got.Select(items => new ActionBlock<long>(items.Add, small))];
        source.LinkTo(targets[0], new DataflowLinkOptions { MaxMessages = 3 });
        source.LinkTo(targets[1], new DataflowLinkOptions { PropagateCompletion = true }, item => item % 2 == 0);
        source.LinkTo(targets[2], new DataflowLinkOptions { PropagateCompletion = true });
        SingleProducer<long> producer = pipeline.CreateProducer();
        for (long i = 0; i < 1_000; i++) producer.Publish(i);
        await pipeline.DrainAsync(TimeSpan.FromSeconds(60));

        await Task.WhenAll(targets[1].Completion, targets[2].Completion, source.Completion).OrHang();
        // A link that has its messages is gone, with its completion.
        Assert.False(targets[0].Completion.IsCompleted);
        targets[0].Complete();
        await targets[0].Completion.OrHang();
        Assert.Equal([0, 1, 2], got[0]);
        Assert.All(got[1], item => Assert.Equal(0, item % 2));
        Assert.Equal(Enumerable.Range(0, 1_000).Select(i => (long)i), got.SelectMany(items => items).Order());
    }

    [Fact]
    public async Task AsSourceBlock_PipelineFaults_FaultsTargets()
    {
        await using Pipeline<long> pipeline = Pipeline.Of<long>(64).Stage("bad", static (ref long _) => throw new InvalidDataException()).Build();
        IReceivableSourceBlock<long> source = pipeline.AsSourceBlock();
        var target = new ActionBlock<long>(static _ => { });
        source.LinkTo(target, new DataflowLinkOptions { PropagateCompletion = true });
        await pipeline.StartAsync();
        pipeline.CreateProducer().Publish(1);
        Exception error = await Assert.ThrowsAnyAsync<Exception>(() => target.Completion.OrHang());
        Assert.IsType<InvalidDataException>(error.GetBaseException().InnerException);
    }

    private static Pipeline<long> Held(int capacity, out Action release, out Task entered)
    {
        var gate = new TaskCompletionSource();
        var first = new TaskCompletionSource();
        release = () => gate.TrySetResult();
        entered = first.Task;
        return Pipeline.Of<long>(capacity).Stage("held", (ref long _) =>
        {
            first.TrySetResult();
            gate.Task.GetAwaiter().GetResult();
        }).Run();
    }

    /// <summary>A source of messages by number, which writes down what is asked of it.</summary>
    private sealed class Offers : ISourceBlock<long>
    {
        public Dictionary<long, long> Has { get; } = [];

        public List<long> Consumed { get; } = [];

        public Action? Consuming { get; set; }

        public TaskCompletionSource Taken { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public TaskCompletionSource Released { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public Task Completion => Task.CompletedTask;

        public long ConsumeMessage(DataflowMessageHeader messageHeader, ITargetBlock<long> target, out bool messageConsumed)
        {
            Consumed.Add(messageHeader.Id);
            Consuming?.Invoke();
            messageConsumed = Has.Remove(messageHeader.Id, out long value);
            if (messageConsumed && messageHeader.Id == 9) Taken.SetResult();
            return value;
        }

        public bool ReserveMessage(DataflowMessageHeader messageHeader, ITargetBlock<long> target) => Has.ContainsKey(messageHeader.Id);

        public void ReleaseReservation(DataflowMessageHeader messageHeader, ITargetBlock<long> target) => Released.TrySetResult();

        public IDisposable LinkTo(ITargetBlock<long> target, DataflowLinkOptions linkOptions) => throw new NotSupportedException();

        public void Complete() => throw new NotSupportedException();

        public void Fault(Exception exception) => throw new NotSupportedException();
    }
}
