using Raceway.Pipelines;

namespace Raceway.Interop.Tests.Bridges;

/// <summary>Every bridge out of a pipeline keeps the contract.</summary>
public sealed class WaysOutTests : BridgeContract<WaysOutTests.Ways>
{
    public sealed class Ways : IBridges
    {
        public static IEnumerable<string> Kinds => WayOut.Kinds;

        public static bool AreIn => false;

        static WayIn IBridges.In(string kind, Pipeline<long> pipeline, int count, Exception? error) =>
            WayIn.Of("channel-writer", pipeline, count, error);

        static WayOut IBridges.Out(string kind, Pipeline<long> pipeline) => WayOut.Of(kind, pipeline);
    }
}
