namespace Raceway.Proof.Tests.Faults;

/// <summary>A producer does not end a claim as it should, or the memory for it fails.</summary>
internal static class ProducerFaults
{
    private static readonly Cell[] s_withRoom =
        [.. Fault.Everywhere.Where(static cell => cell.Moment != Moment.RingFull)];

    private static readonly Cell[] s_withPayloads =
        [.. s_withRoom.Where(static cell => cell.Kind != ProducerKind.Sharded)];

    public static IEnumerable<Fault> All() =>
    [
        Make("writer throws after the claim", s_withRoom, WriterThrows),
        Make("claim left without a commit", s_withRoom, LeaveWithoutCommit),
        Make("claim committed in part", s_withRoom, static (world, meanwhile) =>
        {
            using Claim<Parcel> claim = world.Producers[0].Claim(2);
            meanwhile();
            world.Fill(0, claim);
            claim.Commit(1);
            world.Accept(0, 1);
        }),
        Make("payload longer than reserved for", s_withPayloads, static (world, meanwhile) =>
            Assert.Throws<ArgumentOutOfRangeException>(() => world.Producers[0].Publish(meanwhile, (ref parcel, during) =>
            {
                during();
                parcel.Body.Reserve(65);
            }))),
        Make("pool refuses to rent", s_withPayloads, PoolRefuses, null, new Setting { KeepLength = 0 }),
        Lost("claim of a single producer never ended", ProducerKind.Single, Timeout.InfiniteTimeSpan),
        Lost("claim of one of several producers never ended", ProducerKind.Multi, Timeout.InfiniteTimeSpan),
        Lost("claim in a lane never ended", ProducerKind.Sharded, Timeout.InfiniteTimeSpan),
        Lost(
            "claim of one of several producers never ended, ClaimTimeout", ProducerKind.Multi, TimeSpan.FromMilliseconds(2)),
        new Fault("slot factory throws", Fault.Over(Driven.Caller, Moment.FirstOfBatch, Moment.MiddleOfBatch, Moment.LastOfBatch), FactoryThrowsAsync),
        new Fault(
            "producer disposed of with room held",
            s_withRoom.Where(static cell => cell.Kind != ProducerKind.Single && !cell.IsEnding), DisposeWithRoomAsync),
    ];

    /// <summary>Before, between or behind other items a producer does something that publishes nothing.</summary>
    /// <param name="name">The row.</param>
    /// <param name="cells">Where.</param>
    /// <param name="act">What it does; in the middle of it, it calls what it is given: that begins to end the ring.</param>
    /// <param name="where">Cells left out.</param>
    /// <param name="setting">The ring.</param>
    private static Fault Make(
        string name, IEnumerable<Cell> cells, Action<World, Action> act, Func<Cell, bool>? where = null, Setting? setting = null) =>
        new(name, cells.Where(where ?? (static _ => true)), async cell =>
        {
            var world = new World(cell, setting ?? new Setting());
            await world.StartAsync();
            await world.WarmAsync();
            int before = World.IndexOf(cell.Moment);
            if (before > 0) world.Publish(0, before);
            world.Target = world.NextId(0) + 100;
            act(world, world.BeginEnding);
            if (!cell.IsEnding) world.Publish(0, 3 - before);
            Seen seen = await world.FinishAsync();
            return seen;
        });

    // A sleeper finds a claim by the clock, and a claim that is only slow must not be taken for it: so the test steps.
    private static Fault Lost(string name, ProducerKind kind, TimeSpan claimTimeout) => new(
        name,
        Fault.Everywhere.Where(cell => cell.Kind == kind && cell.Moment != Moment.RingFull && !cell.IsEnding
            && (claimTimeout == Timeout.InfiniteTimeSpan || cell.Driven == Driven.Caller)),
        cell => NeverEndAsync(cell, claimTimeout));

    private static void WriterThrows(World world, Action meanwhile) =>
        Assert.Throws<FormatException>(() => world.Producers[0].Publish(meanwhile, static (ref parcel, during) =>
        {
            parcel.Id = -1;
            during();
            throw new FormatException();
        }));

    private static void LeaveWithoutCommit(World world, Action meanwhile)
    {
        using Claim<Parcel> claim = world.Producers[0].Claim();
        world.Write(ref claim.Slot, 77);
        meanwhile();
    }

    private static void PoolRefuses(World world, Action meanwhile)
    {
        world.Pool.Refusals = 1;
        Assert.Throws<InsufficientMemoryException>(() =>
            world.Producers[0].PublishPayload("refused"u8, meanwhile, static (ref _, during) => during()));
        meanwhile();
    }

    // A claim that is in nobody's hands any more: its producer can publish nothing.
    private static async Task<Seen> NeverEndAsync(Cell cell, TimeSpan claimTimeout)
    {
        var world = new World(cell, new Setting { ClaimTimeout = claimTimeout, LosesClaim = true });
        await world.StartAsync();
        await world.WarmAsync();
        int before = World.IndexOf(cell.Moment);
        if (before > 0) world.Publish(0, before);
        _ = world.Producers[0].Claim().Sequence;
        world.Leave(0);
        if (world.Producers.Length > 1)
        {
            world.Target = world.NextId(1);
            world.Publish(1, 2);
        }

        if (claimTimeout == Timeout.InfiniteTimeSpan) return await world.FinishAsync(TimeSpan.FromMilliseconds(2));
        await world.UntilAsync(() => world.Ring.Completion.IsCompleted);
        return await world.FinishAsync();
    }

    private static Task<Seen> FactoryThrowsAsync(Cell cell)
    {
        int failing = World.IndexOf(cell.Moment) * (World.Capacity - 1) / 2;
        int made = 0;
        Assert.Throws<FormatException>(() => new RingBuffer<object>(World.Capacity, new RingOptions<object>
        {
            Producers = cell.Kind,
            MaxProducers = 2,
            CreateSlot = () => made++ == failing ? throw new FormatException() : new object(),
        }));
        Assert.Equal(failing + 1, made);
        return Task.FromResult(new Seen(cell, "is not built", "none", "none", "none", new Dictionary<string, long>()));
    }

    private static async Task<Seen> DisposeWithRoomAsync(Cell cell)
    {
        var world = new World(cell, new Setting());
        await world.StartAsync();
        await world.WarmAsync();
        // It has taken room for more than it will publish.
        await Watchdog.Await(world.Producers[1].WaitForRoomAsync(2).AsTask(), world.Ring);
        world.Producers[1].Dispose();
        world.Leave(1);
        await world.PublishBatchAsync();
        world.OpenGate();
        await world.SettleAsync();
        // The whole ring is the others' now.
        int free = 0;
        while (cell.Driven == Driven.Caller && world.TryPublish(0)) free++;
        if (cell.Driven == Driven.Caller) Assert.Equal(world.Lane, free);
        return await world.FinishAsync();
    }
}
