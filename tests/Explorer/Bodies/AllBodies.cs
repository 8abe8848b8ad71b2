using Raceway.Explorer.Engine;

namespace Raceway.Explorer.Bodies;

/// <summary>Every body, by group.</summary>
internal static class AllBodies
{
    public static IReadOnlyList<Body> All { get; } =
    [
        .. PublishingBodies.All,
        .. ProgressBodies.All,
        .. WaitingBodies.All,
        .. ClockBodies.All,
        .. RoomBodies.All,
        .. TurnBodies.All,
        .. PublishAsyncBodies.All,
        .. MinimumBodies.All,
        .. CancellingBodies.All,
        .. TopologyBodies.All,
        .. ClaimingBodies.All,
        .. JoiningBodies.All,
        .. LifecycleBodies.All,
        .. SealBodies.All,
        .. LaneBodies.All,
        .. StartBodies.All,
        .. BlockedBodies.All,
        .. FaultBodies.All,
        .. DetachBodies.All,
        .. PayloadBodies.All,
        .. AsyncBodies.All,
        .. ReentrancyBodies.All,
        .. GroupBodies.All,
        .. WalkBodies.All,
        .. OwnershipBodies.All, .. MisuseBodies.All,
        .. PoolBodies.All, .. WatchBodies.All, .. SplitBodies.All,
    ];
}
