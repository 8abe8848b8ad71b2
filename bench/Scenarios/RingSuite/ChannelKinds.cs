using System.Threading.Channels;

namespace Raceway.Scenarios.RingSuite;

/// <summary>The channels that are measured, with default options but for what the name says.</summary>
internal static class ChannelKinds
{
    /// <summary>As large as everyone's queue.</summary>
    public static Channel<long> Bounded() => Channel.CreateBounded<long>(RingShape.Capacity);

    /// <summary>Without a limit.</summary>
    public static Channel<long> Unbounded() => Channel.CreateUnbounded<long>();

    /// <summary>The runtime has a faster unbounded channel for one reader, when told so.</summary>
    public static Channel<long> UnboundedSingleReader() =>
        Channel.CreateUnbounded<long>(new UnboundedChannelOptions { SingleReader = true });
}
