using System.Reflection;

namespace Raceway.Rings.Tests;

/// <summary>A producer tells its waiting how much room a look has found; where that comes in drops, some is let gather.</summary>
public sealed class GatherTests
{
    private sealed class Told : Waiting
    {
        public List<int> Rooms { get; } = [];

        public override void Progressed(int count, bool more)
        {
            Assert.False(more);
            Rooms.Add(count);
        }

        protected override bool WaitFor(in WaitTarget target) => throw new InvalidOperationException("There is room.");
    }

    private sealed class Asked : Waiting
    {
        public int Company { get; private set; }

        protected override bool WaitFor(in WaitTarget target)
        {
            Company = target.Company;
            throw new InvalidOperationException("It would wait for ever.");
        }
    }

    private static readonly TimeSpan s_hang = TimeSpan.FromSeconds(60);

    private static Told Listen(Producer<long> producer)
    {
        var told = new Told();
        typeof(Claimer).GetField("_waiting", BindingFlags.NonPublic | BindingFlags.Instance)!.SetValue(producer.Claimer, told);
        return told;
    }

    [Theory]
    [InlineData(ProducerKind.Single)]
    [InlineData(ProducerKind.Sharded)]
    public void Publish_RoomKnown_IsNotLookedForAgain(ProducerKind kind)
    {
        var ring = Make.Ring(16, kind);
        Stage stage = ring.Subscribe(new Recorder(), Make.Stepped());
        Producer<long> producer = Make.Producer(ring);
        Told told = Listen(producer);
        Make.PublishRange(producer, 0, 15);
        Assert.Equal([16], told.Rooms);
        stage.Step(3);
        producer.Publish(16);
        Assert.Equal([16, 3], told.Rooms);
        stage.Step(5);
        Make.PublishRange(producer, 17, 18);
        Assert.Equal([16, 3], told.Rooms);
        producer.Publish(19);
        Assert.Equal([16, 3, 5], told.Rooms);
        // None: nothing was found.
        Make.PublishRange(producer, 20, 23);
        Assert.Equal(ClaimStatus.Full, producer.TryPublish(24));
        Assert.Equal([16, 3, 5], told.Rooms);
    }

    [Fact]
    public void Publish_Multi_TellsRoomWhereItWasLookedUpOnly()
    {
        var ring = Make.Ring(64, ProducerKind.Multi);
        Stage stage = ring.Subscribe(new Recorder(), Make.Stepped());
        MultiProducer<long> producer = ring.CreateMultiProducer();
        Told told = Listen(producer);
        Make.PublishRange(producer, 0, 63);
        // Credits come many times, the limit is looked up once.
        Assert.Equal([64], told.Rooms);
        stage.Step(4);
        producer.Publish(64);
        Assert.Equal([64, 4], told.Rooms);
    }

    private static int Pause(AdaptiveWaiting waiting) =>
        (int)typeof(AdaptiveWaiting).GetField("_pause", BindingFlags.NonPublic | BindingFlags.Instance)!.GetValue(waiting)!;

    [Fact]
    public void Progressed_ProducerWithPlentyOfRoom_NeverPauses()
    {
        var waiting = new AdaptiveWaiting(new WaitContext(LeadsChain: false, 1024, HasStamps: false, IsProducer: true));
        for (int i = 0; i < 100; i++) waiting.Progressed(512, more: false);
        Assert.Equal(0, Pause(waiting));
    }

    [Fact]
    public void Progressed_ProducerWithDropsOfRoom_PausesLongerUntilThereIsPlenty()
    {
        var waiting = new AdaptiveWaiting(new WaitContext(LeadsChain: false, 1 << 16, HasStamps: false, IsProducer: true));
        // The first look after the start, or after a wait, has kept up.
        waiting.Progressed(1, more: false);
        Assert.Equal(0, Pause(waiting));
        int last = 0;
        for (int i = 0; i < 3; i++)
        {
            waiting.Progressed(64, more: false);
            Assert.True(Pause(waiting) >= Math.Max(1, last));
            last = Pause(waiting);
        }

        for (int i = 0; i < 40; i++) waiting.Progressed(1 << 15, more: false);
        Assert.Equal(0, Pause(waiting));
    }

    [Fact]
    public void Progressed_FollowingStage_NeverPauses()
    {
        var waiting = new AdaptiveWaiting(new WaitContext(LeadsChain: false, 1 << 16, HasStamps: false, IsProducer: false));
        for (int i = 0; i < 20; i++) waiting.Progressed(1, more: false);
        Assert.Equal(0, Pause(waiting));
    }

    // A wake-up costs the stage, so a sleep is for an eighth of the ring, the claim included.
    [Theory]
    [InlineData(ProducerKind.Single, 1, 7)]
    [InlineData(ProducerKind.Single, 8, 0)]
    [InlineData(ProducerKind.Single, 64, 0)]
    [InlineData(ProducerKind.Multi, 1, 5)]
    public void Claim_NoRoom_SaysHowMuchMoreMayGather(ProducerKind kind, int count, int company)
    {
        var ring = Make.Ring(64, kind);
        ring.Subscribe(new Recorder(), Make.Stepped());
        Producer<long> producer = Make.Producer(ring);
        Make.PublishRange(producer, 0, 63);
        var asked = new Asked();
        typeof(Claimer).GetField("_waiting", BindingFlags.NonPublic | BindingFlags.Instance)!.SetValue(producer.Claimer, asked);
        Assert.Throws<InvalidOperationException>(() => producer.Claimer.TryClaim(count, Timeout.InfiniteTimeSpan, false, default, out _, out _));
        Assert.Equal(company, asked.Company);
    }

    // Nothing moves the cell: the first sleep ends by itself, the second one is for the one sequence. Then there was something to do.
    [Fact]
    public void Idle_WithCompany_SleepsForAllOfIt_ThenForOne()
    {
        var memory = new RingMemory(CellPadding.LinePair);
        var cell = new Progress(memory, 0);
        var control = new Control(memory);
        var waiting = new ParkWaiting(new WaitContext(LeadsChain: false, 64, HasStamps: false, IsProducer: true), TimeSpan.Zero);
        var target = new WaitTarget(cell, 1, Clock.Never, control, control.Word) { Company = 8 };
        int seen = 0;
        // The first sleep lasts a millisecond, so it may be over before it is seen. Twice: the second time there was something to do.
        for (long end = Environment.TickCount64 + (long)s_hang.TotalMilliseconds; seen < 2 && Environment.TickCount64 < end;)
        {
            Assert.True(Sleeps(until: 9).Join(s_hang));
            Thread one = Sleeps(until: 1);
            Assert.True(SpinWait.SpinUntil(() => IsArmedFor(1), s_hang));
            cell.Advance(cell.ReadAcquire() + 1);
            Assert.True(one.Join(s_hang));
            waiting.Progressed(1, more: false);
            target = target with { Awaited = target.Awaited + 1 };
        }

        Assert.Equal(2, seen);

        Thread Sleeps(int until)
        {
            var thread = new Thread(() => waiting.Idle(target)) { IsBackground = true };
            thread.Start();
            Assert.True(SpinWait.SpinUntil(() => !thread.IsAlive || IsArmedFor(until), s_hang));
            if (until == 9 && thread.IsAlive) seen++;
            return thread;
        }

        unsafe bool IsArmedFor(int sequences) => Volatile.Read(ref *cell.NearestCell) == target.Awaited + sequences;
    }
}
