using System.Numerics;

namespace Raceway.Rings.Tests;

/// <summary>
/// A handler that does all of a call or nothing, as a transaction does, and bad items in its batches: which calls it takes to
/// find them. Every stage is stepped by the test.
/// </summary>
public sealed class SplitFaultTests
{
    private readonly AllOrNothing _under = new();

    public static TheoryData<string> Kinds => AllOrNothing.Kinds;

    public static TheoryData<int> Sizes => [.. Enumerable.Range(1, 64)];

    [Theory]
    [InlineData(1, 0, new[] { 1 })]
    [InlineData(2, 0, new[] { 2, 1, 1 })]
    [InlineData(2, 1, new[] { 2, 1, 1 })]
    [InlineData(6, 2, new[] { 6, 3, 2, 1, 3 })]
    [InlineData(64, 0, new[] { 64, 32, 16, 8, 4, 2, 1, 63 })]
    [InlineData(64, 21, new[] { 64, 32, 16, 8, 4, 2, 1, 1, 42 })]
    [InlineData(64, 63, new[] { 64, 32, 16, 8, 4, 2, 1, 1 })]
    public void Skip_OneBadItem_IsFoundByHalves(int count, int bad, int[] calls)
    {
        Stage stage = _under.Attach(count, FaultPolicy.Skip, items => items.Contains(bad));
        Make.StepAll(stage);
        Assert.Equal(calls, _under.Calls);
        Assert.Equal(Make.Range(0, count - 1).Where(item => item != bad), _under.Handled);
    }

    [Theory]
    [MemberData(nameof(Sizes))]
    public async Task DeadLetter_OneBadItemAtEachPlace_TakesTheCallsOfABinarySearch(int count)
    {
        for (int bad = 0; bad < count; bad++) await CheckSearch("batch", count, bad);
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task DeadLetter_AnyKindOfStage_TakesTheSameCalls(string kind)
    {
        for (int bad = 0; bad < 21; bad++) await CheckSearch(kind, 21, bad);
    }

    [Fact]
    public async Task DeadLetter_TwoBadItems_EachIsFoundAndTheRestOfferedWhole()
    {
        for (int first = 0; first < 24; first++)
            for (int second = first + 1; second < 24; second++) await CheckSearch("batch", 24, first, second);
    }

    [Fact]
    public async Task DeadLetter_AllBad_IsASearchForEach()
    {
        AllOrNothing under = await CheckSearch("batch", 64, [.. Enumerable.Range(0, 64)]);
        // The first of 64 takes 7 calls, the first of 32 takes 6, and so on: the last takes one.
        Assert.Equal(Enumerable.Range(1, 64).Sum(left => 1 + Depth(left)), under.Calls.Count);
        Assert.Empty(under.Handled);
    }

    // Two rows of one key within one transaction: each is good without the other.
    [Theory]
    [InlineData(2, 9, new[] { 16, 8, 4, 2, 1, 1 })]
    [InlineData(0, 1, new[] { 16, 8, 4, 2, 1, 1, 14 })]
    [InlineData(4, 6, new[] { 16, 8, 4, 2, 1, 1, 8 })]
    [InlineData(14, 15, new[] { 16, 8, 4, 2, 1, 1 })]
    public void Skip_BadOnlyInCompany_IsPartedAndNothingPassedOver(int one, int other, int[] calls)
    {
        Stage stage = _under.Attach(16, FaultPolicy.Skip, items => items.Contains(one) && items.Contains(other));
        Make.StepAll(stage);
        Assert.Equal(Make.Range(0, 15), _under.Handled);
        Assert.Equal(0, stage.GetStatistics().Skipped);
        Assert.Equal(calls, _under.Calls);
    }

    [Fact]
    public void Skip_AnyTwoFailTogether_AreHandledOneByOne()
    {
        Stage stage = _under.Attach(64, FaultPolicy.Skip, items => items.Length > 1);
        Make.StepAll(stage);
        Assert.Equal(Make.Range(0, 63), _under.Handled);
        Assert.Equal(0, stage.GetStatistics().Skipped);
        Assert.InRange(_under.Calls.Count, 64, 64 * 7);
    }

    // The batch is tried three times, then its parts once each, then the item three times: wherever it lies.
    [Theory]
    [InlineData(0, new[] { 8, 8, 8, 4, 2, 1, 1, 1, 7 })]
    [InlineData(3, new[] { 8, 8, 8, 4, 2, 1, 1, 1, 1, 4 })]
    [InlineData(7, new[] { 8, 8, 8, 4, 2, 1, 1, 1, 1 })]
    public void Retry_BadItem_HasAttemptsOfItsOwn(int bad, int[] calls)
    {
        FaultPolicy policy = FaultPolicy.Retry(2, FaultPolicy.DeadLetter<long>(_under.Bury));
        Stage stage = _under.Attach(8, policy, items => items.Contains(bad));
        Make.StepAll(stage);
        Assert.Equal([(bad, 3)], _under.Letters);
        Assert.Equal(calls, _under.Calls);
        Assert.Equal(4, stage.GetStatistics().Retries);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(4)]
    [InlineData(7)]
    public void Decide_BadItem_IsAskedOfItAloneFromTheFirstAttemptOn(int bad)
    {
        FaultPolicy policy = FaultPolicy.Decide((ref long item, in FaultContext context) =>
        {
            _under.Bury(ref item, context);
            return context.Attempt < 3 ? FaultAction.Retry : FaultAction.Skip;
        });
        Stage stage = _under.Attach(8, policy, items => items.Contains(bad));
        Make.StepAll(stage);
        Assert.Equal([(bad, 1), (bad, 2), (bad, 3)], _under.Letters);
        Assert.Equal(Make.Range(0, 7).Where(item => item != bad), _under.Handled);
    }

    // A stage that stops for a batch does not look for its item: no item is passed over.
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Stop_BatchFails_IsNotSplit(bool retries)
    {
        FaultPolicy policy = retries ? FaultPolicy.Retry(1) : FaultPolicy.Stop;
        Stage stage = _under.Attach(8, policy, items => items.Contains(5));
        Make.StepAll(stage);
        Assert.Equal(Enumerable.Repeat(8, retries ? 2 : 1), _under.Calls);
        Assert.Equal((-1L, RingState.Faulted), (stage.Position, stage.Ring.State));
    }

    private static int Depth(int count) => 32 - BitOperations.LeadingZeroCount((uint)count - 1);

    /// <summary>The calls for bad items among <paramref name="count"/>, in the words of the rule.</summary>
    private static List<int> Of(int count, params int[] bad)
    {
        List<int> calls = [];
        // What lies from next to end is known to have failed together.
        for (int next = 0, end = 0; next < count;)
        {
            int size = next < end ? (end - next + 1) / 2 : count - next;
            calls.Add(size);
            if (!bad.Any(item => item >= next && item < next + size)) next += size;
            else if (size > 1) end = next + size;
            else end = ++next;
        }

        return calls;
    }

    private static async Task<AllOrNothing> CheckSearch(string kind, int count, params int[] bad)
    {
        var under = new AllOrNothing();
        Stage stage = under.Attach(
            count, FaultPolicy.DeadLetter<long>(under.Bury), items => items.Any(item => bad.Contains((int)item)), kind: kind);
        await OutcomeTests.Run((RingBuffer<long>)stage.Ring, stage, count - 1);
        Assert.Equal(Of(count, bad), under.Calls);
        Assert.InRange(under.Calls.Count, 1, 1 + bad.Length * (2 + Depth(count)));
        Assert.Equal(Make.Range(0, count - 1).Where(item => !bad.Contains((int)item)), under.Handled);
        Assert.Equal(bad.Select(item => ((long)item, 1)), under.Letters);
        StageStatistics seen = stage.GetStatistics();
        Assert.Equal((bad.Length, bad.Length, under.Handled.Count), (seen.Skipped, seen.DeadLettered, seen.Items));
        Assert.Equal(count - 1, stage.Position);
        return under;
    }
}
