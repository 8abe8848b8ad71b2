using Raceway.Analysis.Layouts;
using Raceway.Lab.Layouts;

namespace Raceway.Lab.Tests.Lab.Layouts;

public sealed class TypeSpellingTests
{
    [Theory]
    [InlineData("List<int>", typeof(List<int>))]
    [InlineData("System.Collections.Generic.Dictionary< string , long >", typeof(Dictionary<string, long>))]
    [InlineData("Dictionary`2[System.String,System.Int64]", typeof(Dictionary<string, long>))]
    [InlineData("Dictionary`2[[System.String, mscorlib, Version=1.0],[System.Int64]]", typeof(Dictionary<string, long>))]
    [InlineData("Dictionary<string,List<int?>>.Enumerator", typeof(Dictionary<string, List<int?>>.Enumerator))]
    [InlineData(
        "System.Collections.Generic.Dictionary`2+Enumerator[System.Int32,System.Byte[]]",
        typeof(Dictionary<int, byte[]>.Enumerator))]
    [InlineData("int?", typeof(int?))]
    [InlineData("Guid", typeof(Guid))]
    [InlineData("long[,]", typeof(long[,]))]
    [InlineData("void*", typeof(void*))]
    [InlineData("List<>", typeof(List<>))]
    [InlineData("List`1", typeof(List<>))]
    [InlineData("Raceway.Rings.RingBuffer<long>", typeof(Rings.RingBuffer<long>))]
    public void Find_AnySpelling_IsTheType(string text, Type type)
    {
        using var assemblies = new InspectedAssemblies();

        Assert.Equal(type, new TypeFinder(assemblies).Find(text));
    }

    [Theory]
    [InlineData("")]
    [InlineData("List<")]
    [InlineData("List<int")]
    [InlineData("List<int>>")]
    [InlineData("List`x")]
    [InlineData("a b")]
    [InlineData("int[")]
    [InlineData("List`1[System.Int32")]
    [InlineData("<int>")]
    public void Read_NoName_IsNull(string text) => Assert.Null(TypeSpelling.Read(text));

    [Theory]
    [InlineData(typeof(Dictionary<string, int?>), "System.Collections.Generic.Dictionary<string, int?>")]
    [InlineData(typeof(Dictionary<string, long>.Enumerator), "System.Collections.Generic.Dictionary<string, long>.Enumerator")]
    [InlineData(typeof(int[,][]), "int[,][]")]
    [InlineData(typeof(List<>), "System.Collections.Generic.List<T>")]
    [InlineData(typeof(byte*), "byte*")]
    public void Of_Types_AreSpelledAsInCSharp(Type type, string text) => Assert.Equal(text, TypeNames.Of(type));
}
