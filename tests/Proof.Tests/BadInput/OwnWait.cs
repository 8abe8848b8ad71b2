using Raceway.Rings;

namespace Raceway.Proof.Tests.BadInput;

/// <summary>A wait strategy of a user's own.</summary>
internal sealed class OwnWait() : PolledWait("own")
{
    public static object Of(Type type) => type == typeof(PolledWait) ? new OwnWait() : new Waiter();

    protected override PolledWaiter CreateWaiter(bool isProducer, int capacity) => new Waiter();

    private sealed class Waiter : PolledWaiter
    {
        public override void Wait(WaitView target) => Thread.Yield();
    }
}
