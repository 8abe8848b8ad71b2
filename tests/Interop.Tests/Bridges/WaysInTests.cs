using Raceway.Pipelines;

namespace Raceway.Interop.Tests.Bridges;

/// <summary>Every bridge into a pipeline keeps the contract.</summary>
public sealed class WaysInTests : BridgeContract<WaysInTests.Ways>
{
    public sealed class Ways : IBridges
    {
        public static IEnumerable<string> Kinds => WayIn.Kinds;

        public static bool AreIn => true;

        static WayIn IBridges.In(string kind, Pipeline<long> pipeline, int count, Exception? error) =>
            WayIn.Of(kind, pipeline, count, error);

        static WayOut IBridges.Out(string kind, Pipeline<long> pipeline) => WayOut.Of("channel-reader", pipeline);
    }
}
