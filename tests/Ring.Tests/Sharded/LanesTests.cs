namespace Raceway.Rings.Tests;

/// <summary>Lanes by themselves: the test publishes by hand, and one gate says what is released.</summary>
public sealed class LanesTests
{
    private sealed unsafe class Bench
    {
        private readonly Progress _gate;

        public Bench(int capacity, int lanes, long start = 0)
        {
            var options = new RingOptions { Producers = ProducerKind.Sharded, MaxProducers = lanes, StartSequence = start };
            Sequencer = new Sequencer(new RingMemory(options.Padding), capacity, options.StartSequence, null);
            Lanes = new Lanes(Sequencer, lanes, ShardedClaims.LaneCapacity(capacity, options));
            Sequencer.Cursor.Ingress = Lanes;
            _gate = Sequencer.NewProgress(start - 1);
            Sequencer.AddGate(_gate);
        }

        public Sequencer Sequencer { get; }

        public Lanes Lanes { get; }

        public long Cursor => Sequencer.Cursor.ReadAcquire();

        public Lane this[int lane] => Lanes.All[lane];

        public void Publish(int lane, long count) => Volatile.Write(ref *this[lane].Published, *this[lane].Published + count);

        public long Merge() => Lanes.ReadableEnd(Cursor + 1);

        public void Release(long through) => _gate.Advance(through);

        /// <summary>Which lane a sequence is of, and its number there.</summary>
        public (int Lane, long Own) At(long sequence, ref long hint)
        {
            Lanes.LaneRun run = Lanes.Find(sequence, ref hint, out long left);
            Assert.True(left >= 1);
            return (run.Lane, sequence + run.Offset);
        }

        public (int Lane, long Own) At(long sequence)
        {
            long nowhere = -1;
            return At(sequence, ref nowhere);
        }
    }

    [Theory]
    [InlineData(1, 8, 0)]
    [InlineData(2, 16, 0)]
    [InlineData(3, 64, 5)]
    [InlineData(8, 64, 1_000_000_007)]
    public void Merge_RandomPublishing_EachLaneWholeOnceAndInOrder(int lanes, int capacity, long start)
    {
        var random = new Random(lanes);
        var bench = new Bench(capacity, lanes, start);
        long[] published = new long[lanes];
        long[] next = new long[lanes];
        long read = start;
        long hint = -1;
        for (int round = 0; round < 2_000; round++)
        {
            int lane = random.Next(lanes);
            long room = bench[lane].Limit() + 1 - published[lane];
            Assert.InRange(room, 0, bench[lane].Capacity);
            long count = random.NextInt64(room + 1);
            bench.Publish(lane, count);
            published[lane] += count;
            if (random.Next(3) == 0) continue;
            long end = bench.Lanes.ReadableEnd(read);
            Assert.Equal(bench.Cursor, end);
            long through = random.Next(2) == 0 ? end : random.NextInt64(read - 1, end + 1);
            for (; read <= through; read++)
            {
                (int Lane, long Own) found = bench.At(read, ref hint);
                Assert.Equal(found, bench.At(read));
                Assert.Equal(next[found.Lane]++, found.Own);
                Assert.True(found.Own < published[found.Lane]);
                Assert.Equal(read, bench[found.Lane].SequenceOf(found.Own));
            }

            bench.Release(read - 1);
        }

        Assert.Equal(start + published.Sum() - 1, bench.Lanes.Published);
        Assert.Equal(bench.Lanes.Published, bench.Lanes.PublishedThrough(0));
        for (; read <= bench.Cursor; read++) next[bench.At(read, ref hint).Lane]++;
        Assert.Equal(published, next);
    }

    [Fact]
    public void Merge_AllLanesFull_EachComesFirstInTurn()
    {
        var bench = new Bench(64, 4);
        List<int> first = [];
        for (int round = 0; round < 4; round++)
        {
            for (int lane = 0; lane < 4; lane++) bench.Publish(lane, 2);
            long before = bench.Cursor;
            Assert.Equal(before + 8, bench.Merge());
            first.Add(bench.At(before + 1).Lane);
        }

        Assert.Equal([0, 1, 2, 3], first.Order());
    }

    [Fact]
    public void Merge_OneLaneFull_OthersWaitForATurnOfItAtMost()
    {
        var bench = new Bench(65_536, 2);
        bench.Publish(0, 32_000);
        for (int i = 0; i < 6; i++)
        {
            long before = bench.Cursor;
            bench.Publish(1, 1);
            long after = bench.Merge();
            // What is merged at once is bounded, and what was there when it began comes within a turn of the full lane.
            Assert.InRange(after - before, 4_096, 4_096 + 1_024);
            long ofTheOther = Assert.Single(Make.Range(before + 1, after), sequence => bench.At(sequence).Lane == 1);
            Assert.InRange(ofTheOther - before, 1, 1_025);
        }
    }

    [Fact]
    public void Find_SameLaneMergedInParts_IsOneRun()
    {
        var bench = new Bench(64, 2);
        long hint = -1;
        for (int part = 1; part <= 5; part++)
        {
            bench.Publish(1, 3);
            Assert.Equal(3 * part - 1, bench.Merge());
            Assert.Equal(new Lanes.LaneRun(1, 0, 0), bench.Lanes.Find(1, ref hint, out long left));
            Assert.Equal(3 * part - 1, left);
        }

        bench.Publish(0, 1);
        bench.Merge();
        bench.Publish(1, 1);
        bench.Merge();
        Assert.Equal(new Lanes.LaneRun(0, 15, -15), bench.Lanes.Find(15, ref hint, out long one));
        Assert.Equal(1, one);
        // Not joined to the lane's own before: another's item lies between.
        Assert.Equal(new Lanes.LaneRun(1, 16, -1), bench.Lanes.Find(16, ref hint, out _));
    }

    [Fact]
    public void Limit_RunReleasedInParts_FreesJustThose()
    {
        var bench = new Bench(16, 2);
        Assert.Equal((7, 7), (bench[0].Limit(), bench[1].Limit()));
        bench.Publish(0, 8);
        bench.Merge();
        bench.Publish(1, 8);
        bench.Merge();
        for (long released = 0; released < 16; released++)
        {
            bench.Release(released);
            Assert.Equal(Math.Min(released + 8, 15), bench[0].Limit());
            Assert.Equal(Math.Max(released, 7), bench[1].Limit());
        }
    }

    [Fact]
    public void SequenceOf_MergedOrNotOrReleased_IsWhatRoomHasToWaitFor()
    {
        var bench = new Bench(16, 2);
        bench.Publish(0, 2);
        bench.Merge();
        bench.Publish(1, 3);
        bench.Merge();
        Assert.Equal((0, 1, 5), (Of(0, 0), Of(0, 1), Of(0, 2)));
        Assert.Equal((2, 4, 5), (Of(1, 0), Of(1, 2), Of(1, 3)));
        bench.Release(2);
        bench[0].Limit();
        Assert.Equal((-1, -1, -1, 3), (Of(0, 0), Of(0, 1), Of(1, 0), Of(1, 1)));

        long Of(int lane, long own) => bench[lane].SequenceOf(own);
    }

    [Theory]
    [InlineData(2)]
    [InlineData(4)]
    public void Merge_LanesAskForRoomOnceALap_RunsAreLetGo(int lanes)
    {
        // Runs of one item use up their ring fastest; a producer that keeps to its limit asks once a lap of its lane.
        var bench = new Bench(2 * lanes, lanes);
        for (long round = 0; round < 500; round++)
        {
            Lane lane = bench[(int)(round % lanes)];
            if (round / lanes % lane.Capacity == 0) lane.Limit();
            bench.Publish(lane.Index, 1);
            Assert.Equal(round, bench.Merge());
            Assert.Equal((lane.Index, round / lanes), bench.At(round));
            bench.Release(round);
        }
    }

    [Fact]
    public unsafe void Signal_TwoLanesTogether_WakeWhenBothCount()
    {
        var bench = new Bench(16, 2);
        var waiter = new CountingWaiter();
        bench.Sequencer.Cursor.Arm(waiter, 3);
        bench.Publish(0, 2);
        Assert.True(bench[0].Signal());
        Assert.False(bench.Sequencer.Cursor.IsReached(3));
        bench.Publish(1, 1);
        bench[1].Signal();
        Assert.Equal(0, waiter.Signals);
        bench.Publish(1, 1);
        Assert.True(bench.Sequencer.Cursor.IsReached(3));
        bench[1].Signal();
        Assert.Equal(1, waiter.Signals);
        bench.Sequencer.Cursor.Release();
        Assert.False(bench[0].Signal());
    }

    [Fact]
    public unsafe void ClaimedThrough_AnnouncedOrPublished_CountsOverLanes()
    {
        var bench = new Bench(16, 2, start: 100);
        Assert.Equal(99, bench.Lanes.ClaimedThrough);
        Volatile.Write(ref *bench[0].Claimed, 2);
        bench.Publish(1, 1);
        Assert.Equal(103, bench.Lanes.ClaimedThrough);
        Assert.Equal(100, bench.Lanes.Published);
    }
}
