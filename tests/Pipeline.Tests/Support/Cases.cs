namespace Raceway.Pipelines.Tests.Support;

internal static class Cases
{
    public static TheoryData<Plan> Plans => [.. Enum.GetValues<Plan>()];
}
