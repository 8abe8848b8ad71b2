namespace Raceway.Rings.Tests;

/// <summary>The mark of an async handler's call: which calls share one.</summary>
public sealed class HandlerMarkTests
{
    private readonly object _owner = new();

    [Fact]
    public void Begin_BehindACallThatWasAtOnce_IsTheSameMark()
    {
        Reentrancy.Call call = Reentrancy.Begin(_owner);
        Assert.True(Reentrancy.IsHandlerOf(_owner));
        call.EndAtOnce();
        Assert.False(Reentrancy.IsHandlerOf(_owner));

        Assert.Same(call, Reentrancy.Begin(_owner));
        Assert.NotSame(call, Reentrancy.Begin(new object()));
    }

    [Fact]
    public void Begin_BehindACallThatAnotherThreadHasEntered_IsAnotherMark()
    {
        Reentrancy.Call call = Reentrancy.Begin(_owner);
        EnterElsewhere();
        Assert.True(call.IsSpread);
        Assert.True(Reentrancy.IsHandlerOf(_owner));
        call.EndAtOnce();
        Assert.False(Reentrancy.IsHandlerOf(_owner));

        Assert.NotSame(call, Reentrancy.Begin(_owner));
    }

    /// <summary>A handler that completes what others await runs their continuations in their contexts, and comes back.</summary>
    [Fact]
    public void Begin_BehindACallThatHasRunOthersContinuations_IsTheSameMark()
    {
        ExecutionContext outside = ExecutionContext.Capture()!;
        Reentrancy.Call call = Reentrancy.Begin(_owner);
        bool isInside = true;
        ExecutionContext.Run(outside, _ => isInside = Reentrancy.IsHandlerOf(_owner), null);
        Assert.False(isInside);
        Assert.False(call.IsSpread);
        call.EndAtOnce();

        Assert.Same(call, Reentrancy.Begin(_owner));
    }

    /// <summary>The context has flowed to another driver's thread: to the thread of the call before, that call's context is another's.</summary>
    [Fact]
    public void Begin_OnAnotherThread_TheThreadOfTheCallBeforeSpreadsIt()
    {
        ExecutionContext outside = ExecutionContext.Capture()!;
        Reentrancy.Call call = Reentrancy.Begin(_owner);
        ExecutionContext marked = ExecutionContext.Capture()!;
        call.EndAtOnce();
        Reentrancy.Call? again = null;
        var other = new Thread(() => again = Reentrancy.Begin(_owner));
        other.Start();
        other.Join();
        Assert.Same(call, again);
        Assert.True(call.IsUnderWayFor(_owner));
        Assert.False(call.IsSpread);

        ExecutionContext.Run(outside, _ => ExecutionContext.Run(marked, static _ => { }, null), null);

        Assert.True(call.IsSpread);
    }

    /// <summary>What has entered before the call began says nothing of it, and what enters a call that is over does not revive it.</summary>
    [Fact]
    public void Begin_EnteredWhileNoCallIsUnderWay_IsTheSameMark()
    {
        Reentrancy.Call call = Reentrancy.Begin(_owner);
        call.EndAtOnce();
        EnterElsewhere();
        Assert.Same(call, Reentrancy.Begin(_owner));
        call.End();
        EnterElsewhere();

        Assert.False(call.IsUnderWayFor(_owner));
        Assert.NotSame(call, Reentrancy.Begin(_owner));
    }

    // On a thread of its own, which this context flows to.
    private static void EnterElsewhere()
    {
        var thread = new Thread(static () => { });
        thread.Start();
        thread.Join();
    }
}
