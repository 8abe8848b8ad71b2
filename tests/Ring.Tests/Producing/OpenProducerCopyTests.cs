namespace Raceway.Rings.Tests;

/// <summary>An <see cref="OpenProducer{T}"/> that was copied: what is published is handled, and the copy left behind is told.</summary>
public sealed class OpenProducerCopyTests
{
    private readonly Recorder _handler = new();
    private readonly Stage _stage;
    private readonly SingleProducer<long> _producer;

    public OpenProducerCopyTests()
    {
        RingBuffer<long> ring = Make.Ring(16);
        _stage = ring.Subscribe(_handler, Make.Stepped());
        _producer = ring.CreateProducer();
        // From here on the limit is known: a copy left behind need not ask for room, where it would be told.
        _producer.Publish(-1);
    }

    private delegate void OpenAction(ref OpenProducer<long> open);

    private static void AssertLeftBehind(ref OpenProducer<long> open, OpenAction act)
    {
        Exception? thrown = null;
        try
        {
            act(ref open);
        }
        catch (Exception refused)
        {
            thrown = refused;
        }

        Assert.IsType<InvalidOperationException>(thrown);
    }

    private void AssertHandled(params long[] items)
    {
        Make.StepAll(_stage);
        Assert.Equal([-1, .. items], _handler.Items);
    }

    [Fact]
    public void Publish_ByTheCopy_TheOriginalIsLeftBehind()
    {
        OpenProducer<long> open = _producer.Open();
        open.Publish(0);
        ByValue(open);
        AssertLeftBehind(ref open, static (ref each) => each.Publish(70));
        AssertLeftBehind(ref open, static (ref each) =>
        {
            each.Claim();
            each.Commit();
        });
        AssertLeftBehind(ref open, static (ref each) =>
        {
            each.Claim(2);
            each.Commit();
        });
        AssertLeftBehind(ref open, static (ref each) => each.Commit());
        AssertLeftBehind(ref open, static (ref each) => each.Commit(0));
        open.Dispose();
        _producer.Publish(3);
        AssertHandled(0, 1, 2, 3);

        static void ByValue(OpenProducer<long> copy)
        {
            copy.Publish(1);
            copy.Publish(2);
        }
    }

    [Fact]
    public void Publish_ByTheOriginal_TheCopyIsLeftBehind()
    {
        OpenProducer<long> open = _producer.Open();
        open.Claim() = 0;
        OpenProducer<long> copy = open;
        open.Commit();
        open.Publish(1);
        AssertLeftBehind(ref copy, static (ref each) => each.Commit());
        AssertLeftBehind(ref copy, static (ref each) => each.Commit(1));
        AssertLeftBehind(ref copy, static (ref each) => each.Publish(70));
        open.Publish(2);
        open.Dispose();
        AssertLeftBehind(ref copy, static (ref each) => each.Publish(71));
        copy.Dispose();
        _producer.Publish(3);
        AssertHandled(0, 1, 2, 3);
    }

    // The ways that are rarely gone: room is made, and a waiter is signalled.
    [Fact]
    public void Publish_RoomWasMadeOrAWaiterSignalled_TheCopyIsLeftBehind()
    {
        OpenProducer<long> open = _producer.Open();
        for (long item = 0; item < 15; item++) open.Publish(item);
        Make.StepAll(_stage);
        OpenProducer<long> full = open;
        open.Publish(15);
        AssertLeftBehind(ref full, static (ref each) => each.Publish(70));

        Progress cursor = _producer.Ring.Sequencer.Cursor;
        OpenProducer<long> calm = open;
        cursor.Arm(new NoWaiter(), 17);
        open.Publish(16);
        AssertLeftBehind(ref calm, static (ref each) => each.Claim() = 71);
        AssertLeftBehind(ref calm, static (ref each) => each.Claim(2)[0] = 71);
        AssertLeftBehind(ref calm, static (ref each) => each.Publish(71));
        OpenProducer<long> claimed = open;
        cursor.Arm(new NoWaiter(), 18);
        open.Claim() = 17;
        open.Commit();
        AssertLeftBehind(ref claimed, static (ref each) => each.Publish(72));
        open.Publish(18);
        open.Dispose();
        AssertHandled([.. Enumerable.Range(0, 19).Select(static item => (long)item)]);
    }

    [Fact]
    public void Dispose_ByTheCopy_NothingIsPublishedTwiceOrLost()
    {
        OpenProducer<long> open = _producer.Open();
        OpenProducer<long> copy = open;
        copy.Dispose();
        // The handle is free again, and the original has not been left behind by anything published.
        open.Publish(0);
        _producer.Publish(1);
        AssertLeftBehind(ref open, static (ref each) => each.Publish(70));
        _producer.Publish(2);
        open.Dispose();
        _producer.Publish(3);
        AssertHandled(0, 1, 2, 3);
    }

    [Fact]
    public void Publish_UnderAClaimOfTheHandle_TheClaimIsToldAndTheHandleGoesOn()
    {
        OpenProducer<long> open = _producer.Open();
        open.Publish(0);
        OpenProducer<long> copy = open;
        copy.Dispose();
        using (Claim<long> claim = _producer.Claim())
        {
            open.Publish(1);
            Exception? thrown = null;
            try
            {
                claim.Commit();
            }
            catch (InvalidOperationException refused)
            {
                thrown = refused;
            }

            Assert.NotNull(thrown);
        }

        Assert.Equal(2, _producer.Ring.Claims.ClaimedThrough);
        _producer.Publish(2);
        _producer.Publish(3);
        AssertHandled(0, 1, 2, 3);
    }

    [Fact]
    public void Publish_AfterAClaimOfTheHandleWasGivenUp_IsNotOverwritten()
    {
        OpenProducer<long> open = _producer.Open();
        OpenProducer<long> copy = open;
        copy.Dispose();
        _producer.Claim().Abort();
        open.Publish(0);
        _producer.Publish(1);
        _producer.Publish(2);
        AssertHandled(0, 1, 2);
    }

    private sealed class NoWaiter : Waiter
    {
        internal override void Signal()
        {
        }
    }
}
