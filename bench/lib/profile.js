exports.profile = async () => {};
